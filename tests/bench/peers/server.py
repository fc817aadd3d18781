"""A FastMCP server with the work of the comparison: a file as a resource, and a tool of its user."""

import sys

from fastmcp import FastMCP

server = FastMCP("bench")


@server.resource("alc://types/alc.d.lua")
def types() -> str:
    with open(sys.argv[1], encoding="utf-8") as file:
        return file.read()


@server.tool
def echo(text: str) -> str:
    return "Echo: " + text


server.run(show_banner=False)
