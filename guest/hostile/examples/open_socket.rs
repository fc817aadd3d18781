//! Connects, listens, binds and resolves a name.

wardroom_hostile_guests::hostile! {
    use std::io;
    use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};

    type Attempt = fn() -> io::Result<()>;

    fn attempt() -> Answer {
        let attempts: [(&str, Attempt); 4] = [
            ("connect", || TcpStream::connect("127.0.0.1:80").map(drop)),
            ("listen", || TcpListener::bind("127.0.0.1:0").map(drop)),
            ("send", || UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", "127.0.0.1:53").map(drop)),
            ("resolve", || "localhost:80".to_socket_addrs().map(drop)),
        ];
        let mut refusals = Vec::new();
        for (name, attempt) in attempts {
            match attempt() {
                Ok(()) => return Answer::found(name),
                // The refusal came from the host's network: the guest reached it.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => return Answer::found(error),
                Err(error) => refusals.push(format!("{name}: {error}")),
            }
        }
        Answer::refused(refusals.join("; "))
    }
}
