//! From data to what a reader sees: text in the formats of the site.
//! Nothing in here knows components or touches files; it takes values and returns strings.

pub mod diagram;
