//! Connections of the server. Their number is limited, and idle ones are closed. The only importer of hyper: axum's own
//! server waits forever for a client that never finishes a request.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use futures_util::future;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{self, Sleep};

/// Limits for one server and its connections.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Time for the head of a request, counted from the connection or the previous answer.
    pub head: Duration,
    /// Time within which a slow reader must accept some data.
    pub reading: Duration,
    /// Most simultaneous connections. Beyond that, a connection without a request is closed to make room.
    pub connections: usize,
}

/// A browser holds a few connections, one of them for as long as a page is open.
pub const LIMITS: ConnectionLimits = ConnectionLimits {
    head: Duration::from_secs(10),
    reading: Duration::from_secs(30),
    connections: 4_096,
};

/// Pause after an accept failed because the system is out of resources.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts and serves connections, forever.
pub async fn serve(listener: TcpListener, router: Router, limits: ConnectionLimits) {
    let room = Arc::new(Semaphore::new(limits.connections));
    let silent = Arc::new(Silent::default());
    for number in 0_u64.. {
        let stream = accept(&listener, &silent).await;
        let place = match room.clone().try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                silent.end_oldest();
                match room.clone().acquire_owned().await {
                    Ok(place) => place,
                    Err(_) => return,
                }
            }
        };
        // Events are small and wait for nothing.
        let _ = stream.set_nodelay(true);
        let end = silent.add(number);
        let answers = TowerToHyperService::new(router.clone());
        let silent = silent.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                silent.remove(number);
                answers.call(request)
            });
            let stream = TokioIo::new(Impatient::new(stream, limits.reading));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.head)
                .serve_connection(stream, service);
            // The connection is over, so an error has no recipient.
            let _ = future::select(pin!(connection), pin!(end.notified())).await;
            silent.remove(number);
            drop(place);
        });
    }
}

async fn accept(listener: &TcpListener, silent: &Silent) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            // The client disconnected before it was accepted.
            Err(error) if is_of_one(&error) => {}
            // The process is out of file descriptors: close the oldest silent connection.
            Err(_) => {
                silent.end_oldest();
                time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_one(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// Connections that have not asked for anything yet, the oldest first.
#[derive(Default)]
struct Silent(Mutex<BTreeMap<u64, Arc<Notify>>>);

impl Silent {
    fn add(&self, number: u64) -> Arc<Notify> {
        let end = Arc::new(Notify::new());
        self.all().insert(number, end.clone());
        end
    }

    fn remove(&self, number: u64) {
        self.all().remove(&number);
    }

    fn end_oldest(&self) {
        if let Some((_, end)) = self.all().pop_first() {
            end.notify_one();
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Notify>>> {
        // A map is whole between any two of its changes.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream whose client must accept written data within a time limit.
struct Impatient {
    stream: TcpStream,
    limit: Duration,
    /// Until when something must be taken, while nothing is.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream, limit: Duration) -> Impatient {
        Impatient {
            stream,
            limit,
            deadline: None,
        }
    }

    /// Returns the result of a write, or an error if the write stalls for too long.
    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let limit = self.limit;
        let deadline = self
            .deadline
            .get_or_insert_with(|| Box::pin(time::sleep(limit)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.within(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.within(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A server that answers everything with so many bytes, as long as the runtime is there.
    fn start(limits: ConnectionLimits, bytes: usize) -> (tokio::runtime::Runtime, SocketAddr) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(move || async move { "x".repeat(bytes) });
        runtime.spawn(serve(listener, router, limits));
        (runtime, address)
    }

    fn connect(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }

    fn ask(stream: &mut TcpStream) -> String {
        stream
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).unwrap();
        String::from_utf8(answer.to_vec()).unwrap()
    }

    /// Whether the other side closes, in far more time than it should take.
    fn is_closed(stream: &mut TcpStream) -> bool {
        let start = Instant::now();
        let mut rest = Vec::new();
        // An end or a reset; else the time is up.
        let ended = stream.read_to_end(&mut rest);
        let is_reset = |error: io::Error| error.kind() == io::ErrorKind::ConnectionReset;
        start.elapsed() < LONG && ended.map_or_else(is_reset, |_| true)
    }

    #[test]
    fn whoever_never_ends_a_request_is_not_waited_for() {
        let limits = ConnectionLimits {
            head: Duration::from_millis(100),
            ..LIMITS
        };
        let (_runtime, address) = start(limits, 1);
        let mut nothing = connect(address);
        let mut half = connect(address);
        half.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nx:").unwrap();
        let mut idle = connect(address);
        assert_eq!(ask(&mut idle), "HTTP/1.1 200");
        let mut slow = connect(address);
        let start = Instant::now();
        // Sending a byte now and then does not extend the deadline: the server closes the connection.
        while slow.write_all(b"G").is_ok() {
            assert!(start.elapsed() < LONG);
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(is_closed(&mut nothing) && is_closed(&mut half) && is_closed(&mut idle));
    }

    #[test]
    fn whoever_asks_has_the_place_of_whoever_does_not() {
        let limits = ConnectionLimits {
            connections: 4,
            head: LONG,
            ..LIMITS
        };
        let (_runtime, address) = start(limits, 1);
        let mut asked = connect(address);
        assert_eq!(ask(&mut asked), "HTTP/1.1 200");
        let mut silent: Vec<TcpStream> = (0..20).map(|_| connect(address)).collect();
        let mut other = connect(address);
        assert_eq!(ask(&mut other), "HTTP/1.1 200");
        assert!(
            is_closed(&mut silent[0]),
            "the first that was silent is gone"
        );
        // Two bytes of the first answer are still in flight. After them the connection can be reused.
        let mut rest = [0; 4096];
        assert!(asked.read(&mut rest).unwrap() > 0);
        asked
            .write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n")
            .unwrap();
        assert!(asked.read(&mut rest).unwrap() > 0);
    }

    #[test]
    fn whoever_takes_nothing_of_an_answer_is_not_waited_for() {
        let limits = ConnectionLimits {
            connections: 1,
            reading: Duration::from_millis(100),
            ..LIMITS
        };
        let (_runtime, address) = start(limits, 64 << 20);
        let mut stuck = connect(address);
        assert_eq!(ask(&mut stuck), "HTTP/1.1 200");
        let mut next = connect(address);
        assert_eq!(ask(&mut next), "HTTP/1.1 200", "it has the only place now");
    }
}
