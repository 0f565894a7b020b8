//! What the stories stand on: real programs, a real desktop, and waiting with a bound.
//! Refuses to know what Tidings does inside; everything here looks at it from outside.
