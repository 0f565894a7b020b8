//! The query of a request and the variable segments of its path. An error names the invalid parameter.

use std::time::Duration;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use tidings_model::{Problem, Stamp, check_id};
use tidings_store::ListQuery;

use crate::domain::limits;
use crate::http::response::error::ApiError;

/// The query's parameters, decoded. The last one of each name counts.
#[derive(Debug, Default, Clone)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the text of a query, without the question mark.
    pub fn parse(text: &str) -> Self {
        Self(url::form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// The names and values, in their order.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of a parameter; an empty one counts as missing.
    ///
    /// # Errors
    /// Those of [`Query::given`].
    pub fn text(&self, name: &str) -> Result<Option<&str>, Problem> {
        Ok(self.raw_text(name)?.filter(|text| !text.is_empty()))
    }

    /// The value of a parameter, even if it is empty.
    ///
    /// # Errors
    /// `invalid` for a value with NUL or of more than [`limits::TEXT_BYTES`] bytes.
    pub fn raw_text(&self, name: &str) -> Result<Option<&str>, Problem> {
        let value = self.0.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        match value {
            Some(v) if v.contains('\0') => Err(Problem::invalid(name, "must not contain NUL")),
            Some(v) if v.len() > limits::TEXT_BYTES => Err(Problem::invalid(name, "is too long")),
            value => Ok(value),
        }
    }

    /// A whole number from 1 to `max`; `default` if it is missing.
    pub fn number(&self, name: &str, default: u64, max: u64) -> Result<u64, Problem> {
        let Some(text) = self.raw_text(name)? else { return Ok(default) };
        match text.parse::<u64>() {
            Ok(n) if (1..=max).contains(&n) => Ok(n),
            _ => Err(Problem::invalid(name, format!("must be a whole number from 1 to {max}"))),
        }
    }

    /// A whole number of seconds from 0 to `max`; 0 if it is missing.
    pub fn seconds(&self, name: &str, max: u64) -> Result<Duration, Problem> {
        let Some(text) = self.raw_text(name)? else { return Ok(Duration::ZERO) };
        match text.parse::<u64>() {
            Ok(n) if n <= max => Ok(Duration::from_secs(n)),
            _ => Err(Problem::invalid(name, format!("must be a whole number of seconds from 0 to {max}"))),
        }
    }

    /// The parameter `limit` of a list.
    pub fn limit(&self, default: usize, max: usize) -> Result<usize, Problem> {
        let n = self.number("limit", default as u64, max as u64)?;
        Ok(usize::try_from(n).unwrap_or(max))
    }

    /// The parameters `after` and `limit` of a list paged by ids.
    pub fn page(&self) -> Result<ListQuery, Problem> {
        let limit = self.limit(limits::PAGE_ELEMENTS, limits::PAGE_ELEMENTS)?;
        Ok(ListQuery { after: self.text("after")?.map(str::to_owned), limit })
    }

    /// The parameter `cap`, at which counting stops.
    pub fn cap(&self) -> Result<u64, Problem> {
        self.number("cap", limits::DEFAULT_COUNT_CAP, limits::COUNT_CAP)
    }

    /// A time in RFC 3339.
    pub fn time(&self, name: &str) -> Result<Option<Stamp>, Problem> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        // An unescaped `+` of an offset arrives decoded as a space.
        let parsed = text.parse::<Stamp>().or_else(|e| text.replace(' ', "+").parse().map_err(|_| e));
        parsed.map(Some).map_err(|e| Problem::invalid(name, e.to_string()))
    }

    /// `true` or `1`, `false` or `0`.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        match self.text(name)? {
            None => Ok(None),
            Some("true" | "1") => Ok(Some(true)),
            Some("false" | "0") => Ok(Some(false)),
            Some(_) => Err(Problem::invalid(name, "must be true or false")),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self::parse(parts.uri.query().unwrap_or("")))
    }
}

/// The variable segments of the path, by name.
#[derive(Debug)]
pub struct PathParams(Vec<(String, String)>);

impl PathParams {
    /// The decoded segment; an error with `invalid` if it has NUL.
    pub fn text(&self, name: &str) -> Result<&str, Problem> {
        let text = self.0.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v.as_str());
        if text.contains('\0') {
            return Err(Problem::invalid(name, "must not contain NUL"));
        }
        Ok(text)
    }

    /// A segment that has to be a valid id.
    pub fn id(&self, name: &str) -> Result<&str, Problem> {
        let text = self.text(name)?;
        check_id(text).map_err(|e| Problem::invalid(name, e.to_string()))?;
        Ok(text)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for PathParams {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match RawPathParams::from_request_parts(parts, state).await {
            Ok(params) => Ok(Self(params.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect())),
            Err(_) => Err(ApiError::invalid("path", "must be UTF-8")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_reads_numbers_times_and_flags_within_bounds() {
        let q = Query::parse("cap=1000&limit=0&since=2026-11-20T08:14:00+02:00&unread=maybe");
        assert_eq!(q.cap().unwrap(), 1000);
        assert_eq!(q.limit(50, 100).unwrap_err().field.as_deref(), Some("limit"));
        assert_eq!(q.time("since").unwrap().unwrap().to_string(), "2026-11-20T06:14:00.000000Z");
        assert_eq!(q.flag("unread").unwrap_err().field.as_deref(), Some("unread"));
        assert!(Query::parse("cap=1001").cap().is_err());
        assert!(Query::parse("cap=").cap().is_err(), "an empty text is no number");
    }
}
