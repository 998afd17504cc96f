//! What only the system can do, and each does in its own way. Touches the directories that it is given, and this process.

mod directory;

pub use directory::{Directory, Kind, Way, create_anew, read_at_most};

/// Lets this process have as many files and connections open as the system allows it.
pub fn allow_many_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = limit.maximum;
        // With fewer it works as well.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}
