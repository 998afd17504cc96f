//! How a benchmark hears from a server that a page has changed: a stream of events from ours, a web socket from others.
//! Talks to this machine only.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use crate::peer::Outcome;

/// Whoever takes longer is not waited for.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A connection on which a server tells that an open page is to be loaded again.
pub struct Stream {
    stream: BufReader<TcpStream>,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Events,
    Socket,
}

impl Stream {
    /// The events of a page of ours.
    pub fn events(port: u16, page: &str) -> Outcome<Stream> {
        let request = format!(
            "GET /-/events?page={page} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n"
        );
        let stream = open(port, &request, "200")?;
        let mut events = Stream {
            stream,
            kind: Kind::Events,
        };
        // The first event says how things stand.
        events.message()?;
        Ok(events)
    }

    /// A web socket, which is greeted if it has to be.
    pub fn socket(port: u16, path: &str, greeting: Option<&str>) -> Outcome<Stream> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: localhost:{port}\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        let mut stream = open(port, &request, "101")?;
        if let Some(greeting) = greeting {
            // A short text; the mask, which is asked for, is zero.
            let length = u8::try_from(greeting.len()).map_err(|_| "the greeting is long")?;
            let mut frame = vec![0x81, 0x80 | length.min(125), 0, 0, 0, 0];
            frame.extend(greeting.as_bytes());
            stream.get_mut().write_all(&frame)?;
        }
        Ok(Stream {
            stream,
            kind: Kind::Socket,
        })
    }

    /// Waits until the page is to be loaded again.
    pub fn reload(&mut self) -> Outcome<()> {
        // As a value; the name of a protocol has the word in it, too.
        let is_it = |message: &str| message == "reload" || message.contains("\"reload\"");
        while !is_it(&self.message()?) {}
        Ok(())
    }

    fn message(&mut self) -> Outcome<String> {
        match self.kind {
            Kind::Events => loop {
                let mut line = String::new();
                if self.stream.read_line(&mut line)? == 0 {
                    return Err("the server has closed the stream".into());
                }
                if let Some(data) = line.strip_prefix("data: ") {
                    return Ok(data.to_owned());
                }
            },
            Kind::Socket => self.frame(),
        }
    }

    fn frame(&mut self) -> Outcome<String> {
        let mut head = [0; 2];
        self.stream.read_exact(&mut head)?;
        let length = match head[1] & 0x7f {
            126 => {
                let mut length = [0; 2];
                self.stream.read_exact(&mut length)?;
                usize::from(u16::from_be_bytes(length))
            }
            127 => return Err("a message as long as a book".into()),
            short => usize::from(short),
        };
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Whether somebody was waited for as long as there is patience.
pub fn is_impatience(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref::<std::io::Error>();
    let is_late = |kind| matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut);
    error.is_some_and(|error| is_late(error.kind()))
}

fn open(port: u16, request: &str, status: &str) -> Outcome<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    stream.write_all(request.as_bytes())?;
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first)?;
    if first.split(' ').nth(1) != Some(status) {
        return Err(format!("the server answers {}", first.trim()).into());
    }
    let mut line = String::new();
    while stream.read_line(&mut line)? > 2 {
        line.clear();
    }
    Ok(stream)
}

/// A page as a browser gets it.
pub fn get(port: u16, page: &str) -> Outcome<String> {
    let request = format!(
        "GET {page} HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\nconnection: close\r\n\r\n"
    );
    let mut stream = open(port, &request, "200")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

/// A port that nobody has.
pub fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
