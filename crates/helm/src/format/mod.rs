//! Values as YAML, JSON and TOML, as the libraries that Helm uses write and read them.

pub mod json;
pub mod read;
mod scalar;
pub mod toml_read;
pub mod toml_write;
pub mod yaml;

/// Base64 on one line.
pub fn base64(bytes: &[u8]) -> String {
    ::yaml::encode_base64(bytes).replace('\n', "")
}
