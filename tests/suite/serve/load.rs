//! Many readers, some of whom stop reading, and many edits at once.

use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};

use super::server::{Events, PATIENCE, Server};
use super::{change, fixture};

const READERS: usize = 1_000;
const EDITS: usize = 100;
const MEGABYTE: usize = 1024 * 1024;

#[test]
fn a_thousand_readers_and_one_who_does_not_read_get_the_last_of_a_hundred_edits() {
    allow_many_connections();
    let repo = fixture();
    let mut server = Server::start(repo.path());
    let page = "/components/shop.html";
    let mut readers: Vec<Events> = (0..READERS).map(|_| server.events(page)).collect();
    for reader in &mut readers {
        reader.next();
    }
    let silent = server.events(page);
    let stuck = stuck(&server);
    change(repo.path(), "shop/app.yaml", "shop:1.2.3", "shop:edit-0");
    server.running.line_about("shop/app.yaml");
    let before = server.running.memory();
    let start = Instant::now();
    for nth in 1..=EDITS {
        let (from, to) = (
            format!("shop:edit-{}\n", nth - 1),
            format!("shop:edit-{nth}\n"),
        );
        change(repo.path(), "shop/app.yaml", &from, &to);
        // As many as a second has room for.
        thread::sleep((Duration::from_millis(10) * nth as u32).saturating_sub(start.elapsed()));
    }
    let last = format!("shop:edit-{EDITS}");
    let is_last = |server: &Server| server.get(page).text().contains(&last);
    let end = Instant::now() + PATIENCE;
    while !is_last(&server) {
        assert!(Instant::now() < end, "the last edit is not served");
        server.running.any_line(Duration::from_secs(5));
    }
    let build = server.events(page).next()["build"].as_u64().unwrap();
    for reader in &mut readers {
        reader.until(|told| told["build"] == build);
    }
    let after = server.running.memory();
    assert!(
        after < before + 64 * MEGABYTE,
        "{} MB became {} MB",
        before / MEGABYTE,
        after / MEGABYTE
    );
    drop((silent, stuck, readers));
    assert!(is_last(&server), "and it answers still");
}

#[test]
fn two_thousand_who_never_end_their_request_keep_nobody_from_an_answer() {
    allow_many_connections();
    let repo = fixture();
    let server = Server::start(repo.path());
    let mut slow: Vec<TcpStream> = (0..2_000).map(|_| server.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET / HTTP/1.1\r\nx: ").unwrap();
    }
    let start = Instant::now();
    let mut events = server.events("/components/shop.html");
    events.next();
    let mut is_closed = false;
    // A byte now and then keeps none of them open; meanwhile, others are answered.
    while !is_closed {
        assert!(start.elapsed() < PATIENCE, "they are held for ever");
        assert_eq!(server.browse("/components/shop.html").status, 200);
        thread::sleep(Duration::from_millis(500));
        slow.retain_mut(|stream| stream.write_all(b"x").is_ok());
        is_closed = slow.is_empty();
    }
    change(repo.path(), "shop/app.yaml", "1.2.3", "1.2.4");
    events.until(|told| told["action"] == "reload");
}

/// Somebody who asks for many pages and takes none.
fn stuck(server: &Server) -> TcpStream {
    let mut stream = server.connect();
    let request = format!(
        "GET /service-catalog.json HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    );
    let wait = Some(Duration::from_millis(200));
    stream.set_write_timeout(wait).unwrap();
    // Once it cannot be sent any more, the server has stopped to listen, as it should.
    for _ in 0..5_000 {
        if stream.write_all(request.as_bytes()).is_err() {
            break;
        }
    }
    stream
}

fn allow_many_connections() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    let has_room = limit.maximum.is_none_or(|most| most > 3 * READERS as u64);
    assert!(has_room, "this needs more open files: raise `ulimit -n`");
}
