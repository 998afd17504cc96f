//! A server on loopback for tests of `catalog fetch`: answers as it is told, and remembers what it was asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub headers: BTreeMap<String, String>,
}

impl Asked {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// What it answers.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// After so many bytes the connection is cut.
    pub cut: Option<usize>,
    /// The length that is stated, if that is a lie.
    pub length: Option<u64>,
}

impl Reply {
    pub fn ok(body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status: 200,
            body: body.into(),
            ..Reply::default()
        }
    }

    pub fn status(status: u16) -> Reply {
        Reply {
            status,
            ..Reply::default()
        }
    }

    pub fn with(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A server that lives as long as the test.
pub struct Server {
    pub port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (log, answer) = (asked.clone(), Arc::new(answer));
        // The thread ends with the process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (log.clone(), answer.clone());
                thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        Server { port, asked }
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// What was asked since the last call.
    pub fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    pub fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| asked.path).collect()
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<Asked>>, answer: &dyn Fn(&Asked) -> Reply) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    while let Some(asked) = read(&mut reader) {
        log.lock().unwrap().push(asked.clone());
        let reply = answer(&asked);
        let length = reply.length.unwrap_or(reply.body.len() as u64);
        let mut head = format!(
            "HTTP/1.1 {} x\r\ncontent-length: {length}\r\n",
            reply.status
        );
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let end = reply.cut.unwrap_or(reply.body.len());
        let sent = stream.write_all(head.as_bytes()).and_then(|()| {
            stream.write_all(&reply.body[..end])?;
            stream.flush()
        });
        if sent.is_err() || reply.cut.is_some() || reply.length.is_some() {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace();
    let path = words.nth(1)?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|it| it.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { path, headers })
}

pub use crate::archive::{digest, tar};

/// A chart as a tar file.
pub fn chart(name: &str, version: &str) -> Vec<u8> {
    let metadata = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
    tar(&[(&format!("{name}/Chart.yaml"), b'0', metadata.as_bytes())])
}
