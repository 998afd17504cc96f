//! A server as a user starts it, and a client that says exactly what it is told to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Far more than anything takes, even on a machine that has other things to do.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A `catalog` that stays until it is dropped.
pub struct Running {
    pub child: Child,
    lines: Receiver<String>,
    /// All that it has said so far, as far as somebody listened.
    pub said: Vec<String>,
}

impl Running {
    pub fn start(arguments: &[&str], directory: &Path) -> Running {
        let mut child = Command::new(env!("CARGO_BIN_EXE_catalog"))
            .args(arguments)
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Running {
            child,
            lines,
            said: Vec::new(),
        }
    }

    /// Waits for a line.
    pub fn line(&mut self, is_it: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("it does not say so, but {:#?}", self.said);
            };
            self.said.push(line.clone());
            if is_it(&line) {
                return line;
            }
        }
    }

    /// Waits for a line about something.
    pub fn line_about(&mut self, what: &str) -> String {
        self.line(|line| line.starts_with(&format!("{what}:")))
    }

    /// Waits for any line, for so long.
    pub fn any_line(&mut self, patience: Duration) -> Option<String> {
        let line = self.lines.recv_timeout(patience).ok()?;
        self.said.push(line.clone());
        Some(line)
    }

    /// How many lines so far begin so.
    pub fn count(&self, start: &str) -> usize {
        let lines = self.said.iter();
        lines.filter(|line| line.starts_with(start)).count()
    }

    /// What it holds in memory, in bytes.
    pub fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.unwrap().split_whitespace().next().unwrap();
        kilobytes.parse::<usize>().unwrap() * 1024
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A running `catalog serve`.
pub struct Server {
    pub running: Running,
    pub address: SocketAddr,
}

impl Server {
    /// Serves a repo on any port that is free.
    pub fn start(repo: &Path) -> Server {
        Server::start_with(&["serve", ".", "--port", "0"], repo)
    }

    pub fn start_with(arguments: &[&str], directory: &Path) -> Server {
        let mut running = Running::start(arguments, directory);
        let line = running.line(|line| line.contains("press Ctrl-C to stop"));
        let address = line.split("http://").nth(1).unwrap();
        let address: SocketAddr = address.split('/').next().unwrap().parse().unwrap();
        let port = address.port();
        Server {
            running,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// What a program is answered, which accepts anything.
    pub fn get(&self, path: &str) -> Response {
        self.ask("GET", path, "accept: */*\r\n")
    }

    /// What a browser is answered.
    pub fn browse(&self, path: &str) -> Response {
        self.ask("GET", path, "accept: text/html,*/*;q=0.8\r\n")
    }

    pub fn ask(&self, method: &str, path: &str, headers: &str) -> Response {
        let host = self.address;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}\r\n"
        );
        let answer = self.say(request.as_bytes());
        answer.unwrap_or_else(|| panic!("{method} {path} is not answered"))
    }

    /// What exactly these bytes are answered with, if they are at all.
    pub fn say(&self, bytes: &[u8]) -> Option<Response> {
        let mut stream = self.connect();
        // It may have heard enough before all is said.
        let _ = stream.write_all(bytes);
        Response::read(&mut BufReader::new(stream)).ok()
    }

    /// Files by their paths, over one connection.
    pub fn get_all<'p>(&self, paths: impl Iterator<Item = &'p str>) -> BTreeMap<String, Response> {
        let mut stream = BufReader::new(self.connect());
        let each = paths.map(|path| {
            let request = format!(
                "GET /{path} HTTP/1.1\r\nhost: {}\r\naccept: */*\r\n\r\n",
                self.address
            );
            stream.get_mut().write_all(request.as_bytes()).unwrap();
            (path.to_owned(), Response::read(&mut stream).unwrap())
        });
        each.collect()
    }

    /// The stream of an open page.
    pub fn events(&self, page: &str) -> Events {
        let mut stream = self.connect();
        let request = format!(
            "GET /-/events?page={page} HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n\r\n",
            self.address
        );
        stream.write_all(request.as_bytes()).unwrap();
        Events {
            stream: BufReader::with_capacity(512, stream),
            is_open: false,
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Response {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn read(stream: &mut impl BufRead) -> io::Result<Response> {
        let (status, headers) = head(stream)?;
        let mut body = Vec::new();
        match headers.get("content-length").map(|length| length.parse()) {
            Some(Ok(length)) => {
                body.resize(length, 0);
                // The answer to HEAD names a length and has no body.
                if let Err(error) = stream.read_exact(&mut body) {
                    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
                    body.clear();
                }
            }
            _ => {
                stream.read_to_end(&mut body)?;
            }
        }
        Ok(Response {
            status,
            headers,
            body,
        })
    }
}

fn head(stream: &mut impl BufRead) -> io::Result<(u16, BTreeMap<String, String>)> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.ok_or(io::ErrorKind::InvalidData)?;
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            return Ok((status, headers));
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
}

/// What the server tells an open page.
pub struct Events {
    stream: BufReader<TcpStream>,
    is_open: bool,
}

impl Events {
    /// Waits for the next state.
    pub fn next(&mut self) -> Value {
        if !self.is_open {
            let (status, headers) = head(&mut self.stream).unwrap();
            assert_eq!(status, 200);
            assert_eq!(headers["content-type"], "text/event-stream");
            self.is_open = true;
        }
        // Comments keep the connection open, so reading alone would wait for ever.
        let end = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < end, "no news");
            let mut line = String::new();
            assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "it is closed");
            // What is between the states are comments, and the sizes of chunks.
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).unwrap();
            }
        }
    }

    /// Waits for a state.
    pub fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let state = self.next();
            if is_it(&state) {
                return state;
            }
            assert!(Instant::now() < end, "the last was {state}");
        }
    }
}
