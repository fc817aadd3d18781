"""Records the material of the evaluation: breaks small projects, runs the real tools, and keeps what they print.

    python3 record.py WORK MATERIAL [ID-PREFIX]

`WORK` holds the tools: `node/` with the packages of `package.json`, and the virtual environments `py/`
(`requirements.txt`) and `py6/` (pytest 6.2.5). Cargo and Clippy are those of the machine (1.95). A fault is kept only
if its command fails with it and passes with its fix. This program shares no code with the learner.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import cargo_development
import cargo_report
import python_development
import python_report
import typescript_development
import typescript_report

HALVES = [
    cargo_development,
    cargo_report,
    typescript_development,
    typescript_report,
    python_development,
    python_report,
]
HOME = "/home/dev"


class Recorder:
    def __init__(self, work):
        self.work = pathlib.Path(work).resolve()
        self.projects = self.work / "projects"

    def write(self, folder, project, files):
        for name, text in files.items():
            path = folder / project.fill(name)
            if text is None:
                path.unlink(missing_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(project.fill(text))

    def run(self, folder, command, environment):
        paths = [self.work / "py/bin", self.work / "node/node_modules/.bin"]
        env = {
            "PATH": ":".join(map(str, paths)) + ":" + os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "CARGO_TARGET_DIR": str(self.work / "target" / folder.name),
            "CARGO_TERM_COLOR": "never",
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "COLUMNS": "120",
            **environment,
        }
        env["PATH"] = environment.get("PATH_FIRST", "").replace("WORK", str(self.work)) + ":" + env["PATH"]
        done = subprocess.run(
            command, shell=True, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120
        )
        return done.returncode, self.clean(done.stdout.decode("utf-8", "replace"))

    def clean(self, text):
        """Returns an output without the places of the machine that recorded it."""
        text = text.replace(str(self.projects), HOME)
        text = re.sub(re.escape(str(self.work)) + r"/target/[^/\s]+", HOME + "/target", text)
        text = text.replace(str(self.work / "node"), HOME + "/node").replace(str(self.work), HOME)
        text = re.sub(r"/\S*/lib/python3\.11", "/usr/lib/python3.11", text)
        text = re.sub(r"/\S*/rustlib", "/usr/lib/rustlib", text)
        text = re.sub(r"file:///\S*/node_modules", f"file://{HOME}/node/node_modules", text)
        text = "\n".join(line.rstrip() for line in text.splitlines() if "npm warn" not in line)
        return text.strip("\n") + "\n"

    def attempt(self, name, project, files, command, environment, outside=None):
        folder = self.projects / project.name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.write(folder, project, files)
        if (folder / "package.json").exists():
            modules = folder / "node_modules"
            modules.mkdir(exist_ok=True)
            for entry in (self.work / "node/node_modules").iterdir():
                if not (modules / entry.name).exists():
                    (modules / entry.name).symlink_to(entry)
        with outside() if outside else contextlib.nullcontext():
            return self.run(folder, project.fill(command), environment)

    def expect(self, what, is_failing, result):
        status, output = result
        if (status != 0) != is_failing:
            print(f"{what}: exit code {status}\n{output}", file=sys.stderr)
            raise SystemExit(1)
        return output

    def record(self, fault, project, number, target):
        """Records one fault in one project; returns its row of the index."""
        broken = fault.broken[number]
        name = f"{fault.id}.{project.name}" + (f".{number + 1}" if len(fault.broken) > 1 else "")
        arguments = (project, fault.command, fault.environment)

        def attempt(files, outside=None):
            return self.attempt(name, arguments[0], files, arguments[1], arguments[2], outside)

        def keep(suffix, text):
            file = target / f"{name}{suffix}.txt"
            file.write_text(text)
            return file.name

        failed = self.expect(name, True, attempt(broken, fault.while_failing))
        passed = self.expect(name + " fixed", False, attempt({**broken, **fault.fix.files}, fault.while_passing))
        row = {
            "project": project.name,
            "command": project.fill(fault.command),
            "tasks": [project.fill(task) for task in fault.tasks],
            "failed": keep("", failed),
            "passed": passed[:400],
            "changed": sorted(project.fill(path) for path in fault.fix.files),
        }
        if fault.later:
            later = fault.later
            command = later.command or fault.command
            environment = {**fault.environment, **later.environment}
            arguments = (project, command, environment)
            row["later_failed"] = keep(".later", self.expect(name + " later", True, attempt(later.broken)))
            with_first = {**later.broken, **later.obsolete}
            arguments = (project, later.obsolete_command or command, environment)
            row["later_obsolete"] = keep(".obsolete", self.expect(name + " obsolete", True, attempt(with_first)))
            arguments = (project, command, environment)
            self.expect(name + " later fixed", False, attempt({**later.broken, **later.fix.files}))
        return row


def fix_of(fix):
    return {"tokens": fix.tokens, "wordings": fix.wordings}


def main():
    work, material = sys.argv[1:3]
    prefix = sys.argv[3] if len(sys.argv) > 3 else ""
    recorder = Recorder(work)
    for half in HALVES:
        target = pathlib.Path(material) / half.LANGUAGE / half.HALF
        faults = [fault for fault in half.FAULTS if fault.id.startswith(prefix)]
        if not faults:
            continue
        target.mkdir(parents=True, exist_ok=True)
        index_file = target / "index.json"
        index = {row["id"]: row for row in json.loads(index_file.read_text())} if index_file.exists() else {}
        for place, fault in enumerate(faults):
            # What occurs once needs one project; its number spreads them.
            projects = half.PROJECTS if fault.kind != "one_off" else [half.PROJECTS[place % len(half.PROJECTS)]]
            rows = [
                recorder.record(fault, project, number, target)
                for project in projects
                for number in range(len(fault.broken))
            ]
            index[fault.id] = {
                "id": fault.id,
                "kind": fault.kind,
                "cause": fault.cause,
                "fix": fix_of(fault.fix),
                **({"later_fix": fix_of(fault.later.fix)} if fault.later else {}),
                "recordings": rows,
            }
            print(fault.id, flush=True)
        ordered = [index[fault.id] for fault in half.FAULTS if fault.id in index]
        index_file.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
