//! Programs that are run: `git` and Docker's credential helpers. With limits on their time and output.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

const BETWEEN: Duration = Duration::from_millis(10);
const MAX_MESSAGE: u64 = 16 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProcessError {
    #[error("`{0}` is not installed")]
    Missing(String),
    #[error("`{program}` cannot be run: {reason}")]
    Start { program: String, reason: String },
    #[error("`{program}` did not end within {} seconds", after.as_secs())]
    Slow { program: String, after: Duration },
    #[error("`{program}` printed more than {} MiB", most / 1024 / 1024)]
    TooMuch { program: String, most: u64 },
    #[error("{message}")]
    Failed { message: String },
}

/// Limits of one run.
#[derive(Debug, Clone, Copy)]
pub struct ProcessLimits {
    pub time: Duration,
    pub output: u64,
}

/// The output of a program that reads `input`.
pub fn run(
    mut command: Command,
    input: &[u8],
    limits: ProcessLimits,
) -> Result<Vec<u8>, ProcessError> {
    let program = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ProcessError::Missing(program.clone()),
        _ => ProcessError::Start {
            program: program.clone(),
            reason: error.to_string(),
        },
    })?;
    let input = input.to_vec();
    let stdin = child.stdin.take();
    // A program that does not read is no error.
    let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let output = child.stdout.take().map(|it| reader(it, limits.output + 1));
    let message = child.stderr.take().map(|it| reader(it, MAX_MESSAGE));
    let is_success = wait(&mut child, limits.time).map_err(|()| ProcessError::Slow {
        program: program.clone(),
        after: limits.time,
    })?;
    let _ = writer.join();
    let collect = |reader: Option<thread::JoinHandle<Vec<u8>>>| {
        reader.and_then(|it| it.join().ok()).unwrap_or_default()
    };
    let (output, message) = (collect(output), collect(message));
    if !is_success {
        let message = last_line(&message, &program);
        return Err(ProcessError::Failed { message });
    }
    if output.len() as u64 > limits.output {
        let most = limits.output;
        return Err(ProcessError::TooMuch { program, most });
    }
    Ok(output)
}

/// Reads up to `most` bytes, and lets go of the pipe then.
fn reader(pipe: impl Read + Send + 'static, most: u64) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.take(most).read_to_end(&mut bytes);
        bytes
    })
}

/// Whether the program succeeded; an error if it took too long and was ended.
fn wait(child: &mut Child, time: Duration) -> Result<bool, ()> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if start.elapsed() < time => thread::sleep(BETWEEN),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(());
            }
        }
    }
}

/// The last line of what a program said, without logins.
fn last_line(message: &[u8], program: &str) -> String {
    const LONGEST: usize = 300;
    let text = String::from_utf8_lossy(message);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let Some(last) = last else {
        return format!("`{program}` failed");
    };
    let plain: String = last
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    without_logins(plain.trim()).chars().take(LONGEST).collect()
}

/// `https://login@host` becomes `https://host`: git repeats addresses that its own configuration made.
fn without_logins(text: &str) -> String {
    let mut plain = String::new();
    for (at, part) in text.split("://").enumerate() {
        if at == 0 {
            plain.push_str(part);
            continue;
        }
        plain.push_str("://");
        let end = part.find(|c: char| c == '/' || c.is_whitespace() || c == '\'');
        let (authority, rest) = part.split_at(end.unwrap_or(part.len()));
        plain.push_str(authority.rsplit('@').next().unwrap_or_default());
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str, input: &str, limits: ProcessLimits) -> Result<String, ProcessError> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, input.as_bytes(), limits).map(|out| String::from_utf8(out).unwrap())
    }

    const LIMITS: ProcessLimits = ProcessLimits {
        time: Duration::from_secs(10),
        output: 1000,
    };

    #[test]
    fn a_program_is_given_its_input_and_limits() {
        assert_eq!(shell("cat", "a b", LIMITS).unwrap(), "a b");
        let failed = shell(
            "echo one >&2; echo 'two https://me:word@host/x' >&2; exit 1",
            "",
            LIMITS,
        );
        assert_eq!(failed.unwrap_err().to_string(), "two https://host/x");
        let much = shell("yes", "", LIMITS).unwrap_err();
        assert!(!matches!(much, ProcessError::Slow { .. }), "{much}");
        let time = Duration::from_millis(50);
        let slow = shell("exec sleep 20", "", ProcessLimits { time, ..LIMITS });
        assert!(matches!(slow, Err(ProcessError::Slow { .. })));
        let missing = run(Command::new("no-such-program-here"), b"", LIMITS);
        assert!(matches!(missing, Err(ProcessError::Missing(_))));
    }
}
