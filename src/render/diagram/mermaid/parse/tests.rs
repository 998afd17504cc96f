//! Tests of the parsers, one module for each kind of diagram.
