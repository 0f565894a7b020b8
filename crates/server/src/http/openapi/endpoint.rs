//! The description of an endpoint: its request, its responses and the scopes it needs. The router and the OpenAPI
//! document are made from the same list.

use axum::handler::Handler;
use axum::routing::{self, MethodRouter};
use serde_json::{Map, Value, json};
use tidings_model::Problem;
use tidings_server_core::domain::limits;
use tidings_server_core::state::AppState;
use utoipa::ToSchema;

use crate::http::openapi::schemas::{CONVERSATION_PATTERN, ID_PATTERN, TOPIC_PATTERN, apply_constraints};

/// The scopes of which a token needs one; empty if no token is needed.
type Scopes = &'static [&'static str];

/// An endpoint: a path with one method, its handler and its description.
#[derive(Default)]
pub(crate) struct Endpoint {
    pub(crate) method: &'static str,
    /// The path, relative to `/api/v1`.
    pub(crate) path: &'static str,
    pub(crate) route: MethodRouter<AppState>,
    about: &'static str,
    scopes: Scopes,
    query: Vec<Value>,
    body: Option<(Value, bool)>,
    /// The schema of a form that the body may be instead.
    form: Option<Value>,
    response_schemas: Vec<(u16, Option<Value>)>,
    /// The schemas of the types to which the others refer. They are made for the document alone: for all endpoints together
    /// they take megabytes, and a server would make them whenever it starts.
    parts: Vec<fn() -> NamedSchemas>,
    idempotent: bool,
}

/// Makes a function of each method, which describes an endpoint with it.
macro_rules! methods {
    ($($method:ident $name:literal),+) => { $(
        #[doc = concat!("An endpoint for ", $name, ".")]
        pub(crate) fn $method<T: 'static>(
            path: &'static str,
            scopes: Scopes,
            run: impl Handler<T, AppState>,
        ) -> Self {
            Self::new($name, path, scopes, routing::$method(run))
        }
    )+ };
}

impl Endpoint {
    fn new(method: &'static str, path: &'static str, scopes: Scopes, route: MethodRouter<AppState>) -> Self {
        Self { method, path, route, scopes, ..Self::default() }
    }

    methods! { get "GET", put "PUT", post "POST", patch "PATCH", delete "DELETE" }

    /// Sets what the reference says of it.
    pub(crate) fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Adds parameters of the query.
    pub(crate) fn query(mut self, parameters: impl IntoIterator<Item = Value>) -> Self {
        self.query.extend(parameters);
        self
    }

    /// Sets a required JSON body.
    pub(crate) fn request_body<T: ToSchema>(mut self) -> Self {
        self.body = Some((self.schema_ref::<T>(), true));
        self
    }

    /// Sets an optional JSON body.
    pub(crate) fn optional_request_body<T: ToSchema>(mut self) -> Self {
        self.body = Some((self.schema_ref::<T>(), false));
        self
    }

    /// Sets a required JSON body of one value or an array of values.
    pub(crate) fn one_or_many_request_body<T: ToSchema>(mut self) -> Self {
        let one = self.schema_ref::<T>();
        self.body = Some((one_or_many(&one), true));
        self
    }

    /// Like [`Endpoint::one_or_many_request_body`], with a string member that this endpoint requires and the type does
    /// not.
    pub(crate) fn one_or_many_request_body_with<T: ToSchema>(mut self, member: &str) -> Self {
        let known = self.schema_ref::<T>();
        let one = json!({"allOf": [known, {"type": "object", "required": [member],
            "properties": {member: {"type": "string"}}}]});
        self.body = Some((one_or_many(&one), true));
        self
    }

    /// Lets the body also be a form of two parts in this order: one value as JSON, and a file. The body must have been set.
    pub(crate) fn or_form_with_file(mut self, value: &str, file: &str) -> Self {
        let one = self.body.as_ref().and_then(|(schema, _)| schema.pointer("/oneOf/0")).cloned();
        self.form = Some(json!({"type": "object", "required": [value, file],
            "description": format!("Two parts in this order: `{value}`, and `{file}` with a `filename`."),
            "properties": {value: one, file: {"type": "string", "format": "binary"}}}));
        self
    }

    /// Adds a response with a JSON body.
    pub(crate) fn response<T: ToSchema>(mut self, status: u16) -> Self {
        let schema = self.schema_ref::<T>();
        self.response_schema(status, schema)
    }

    /// Adds a response with this schema.
    pub(crate) fn response_schema(mut self, status: u16, schema: Value) -> Self {
        self.response_schemas.push((status, Some(schema)));
        self
    }

    /// Adds a response with one value, or with an array if the request had an array.
    pub(crate) fn one_or_many_response<T: ToSchema>(mut self, status: u16) -> Self {
        let one = self.schema_ref::<T>();
        self.response_schema(status, json!({"oneOf": [one, {"type": "array", "items": one}]}))
    }

    /// Adds a response with an array.
    pub(crate) fn list_response<T: ToSchema>(mut self, status: u16) -> Self {
        let one = self.schema_ref::<T>();
        self.response_schema(status, json!({"type": "array", "items": one}))
    }

    /// Adds a response with lines, each a JSON value.
    pub(crate) fn lines_response<T: ToSchema>(mut self, status: u16) -> Self {
        let mut schema = self.schema_ref::<T>();
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("x-lines".to_owned(), true.into());
        }
        self.response_schema(status, schema)
    }

    /// Adds a response with status 204 and no body.
    pub(crate) fn no_content_response(mut self) -> Self {
        self.response_schemas.push((204, None));
        self
    }

    /// Declares that the endpoint accepts an `Idempotency-Key`.
    pub(crate) fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// A reference to the schema of `T`, which is added to the list of schemas.
    fn schema_ref<T: ToSchema>(&mut self) -> Value {
        self.parts.push(schemas_of::<T>);
        json!({"$ref": format!("#/components/schemas/{}", T::name())})
    }

    fn operation(&self) -> Value {
        let mut parameters: Vec<Value> =
            path_names(self.path).map(|name| path_parameter(self.path, name)).collect();
        parameters.extend(self.query.iter().cloned());
        if self.idempotent {
            parameters.push(json!({"name": "Idempotency-Key", "in": "header", "required": false,
                "description": "The same key from the same token within 24 hours gets the first answer again, whatever \
                    is asked with it, and nothing is done. Only answers of success are kept.",
                "schema": {"type": "string", "minLength": 1, "maxLength": limits::KEY_BYTES}}));
        }
        let mut responses = Map::new();
        for (status, schema) in &self.response_schemas {
            let mut response = json!({"description": if *status == 204 { "Done." } else { "The answer." }});
            if let (Some(schema), Some(map)) = (schema, response.as_object_mut()) {
                let kind = match (schema.get("x-stream"), schema.get("x-lines")) {
                    (Some(_), _) => "text/event-stream",
                    (None, Some(_)) => "application/x-ndjson",
                    (None, None) => "application/json",
                };
                map.insert("content".into(), json!({kind: {"schema": schema}}));
            }
            responses.insert(status.to_string(), response);
        }
        responses.insert("default".into(), json!({"$ref": "#/components/responses/Problem"}));
        let about = if self.scopes.is_empty() {
            self.about.to_owned()
        } else {
            format!("{} Needs a token with {}.", self.about, self.scopes.join(" or "))
        };
        let mut operation = json!({"summary": self.about, "description": about, "parameters": parameters,
            "responses": responses, "security": if self.scopes.is_empty() { json!([]) } else { json!([{"token": []}]) }});
        if let (Some((schema, required)), Some(map)) = (&self.body, operation.as_object_mut()) {
            let mut content = json!({"application/json": {"schema": schema}});
            if let (Some(form), Some(content)) = (&self.form, content.as_object_mut()) {
                content.insert("multipart/form-data".into(), json!({"schema": form}));
            }
            map.insert("requestBody".into(), json!({"required": required, "content": content}));
        }
        operation
    }
}

/// Schemas with the names by which others refer to them.
type NamedSchemas = Vec<(String, Value)>;

/// The schemas of a type and of those to which it refers, by their names.
fn schemas_of<T: ToSchema>() -> NamedSchemas {
    let mut schemas = Vec::new();
    T::schemas(&mut schemas);
    schemas.push((T::name().into_owned(), T::schema()));
    schemas
        .into_iter()
        .map(|(name, schema)| (name, serde_json::to_value(schema).unwrap_or_default()))
        .collect()
}

fn one_or_many(one: &Value) -> Value {
    json!({"oneOf": [one, {"type": "array", "items": one, "maxItems": limits::ARRAY_ELEMENTS}]})
}

fn path_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn path_parameter(path: &str, name: &str) -> Value {
    let schema = match name {
        "msgid" => json!({"type": "string", "minLength": 1}),
        "id" if path.starts_with("/tokens") => json!({"type": "string", "minLength": 1}),
        "id" if path.starts_with("/conversations") => {
            json!({"type": "string", "pattern": CONVERSATION_PATTERN})
        }
        "id" if path.starts_with("/views") => json!({"type": "string", "minLength": 1}),
        "topic" => json!({"type": "string", "pattern": TOPIC_PATTERN}),
        "code" => json!({"type": "string", "enum": ["announcements", "conversation", "target"]}),
        _ => json!({"type": "string", "pattern": ID_PATTERN}),
    };
    json!({"name": name, "in": "path", "required": true, "schema": schema})
}

/// An optional parameter of the query.
pub(crate) fn parameter(name: &str, about: &str, schema: &Value) -> Value {
    json!({"name": name, "in": "query", "required": false, "description": about, "schema": schema})
}

/// Makes a parameter required.
pub(crate) fn required_parameter(mut parameter: Value) -> Value {
    if let Some(map) = parameter.as_object_mut() {
        map.insert("required".to_owned(), true.into());
    }
    parameter
}

/// The OpenAPI document of these endpoints.
pub(crate) fn openapi(endpoints: &[Endpoint]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    let mut schemas: Map<String, Value> = Map::new();
    for endpoint in endpoints {
        let path = paths.entry(format!("/api/v1{}", endpoint.path)).or_insert_with(|| json!({}));
        if let Some(map) = path.as_object_mut() {
            map.insert(endpoint.method.to_ascii_lowercase(), endpoint.operation());
        }
        schemas.extend(endpoint.parts.iter().flat_map(|schemas_of| schemas_of()));
    }
    let problem = serde_json::to_value(<Problem as utoipa::PartialSchema>::schema()).unwrap_or_default();
    schemas.insert("Problem".into(), problem);
    let mut codes = Vec::new();
    <Problem as ToSchema>::schemas(&mut codes);
    schemas.extend(codes.into_iter().map(|(n, s)| (n, serde_json::to_value(s).unwrap_or_default())));
    apply_constraints(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Tidings", "version": env!("CARGO_PKG_VERSION"),
            "license": {"name": "MIT", "identifier": "MIT"},
            "description": "Every notification in one inbox. Times are RFC 3339 in UTC with six fractional digits; \
                errors are application/problem+json with a code from a closed list. A body may have as many bytes, values \
                and levels, a text and a notification as many bytes, as `/api/v1/info` says under `limits`."},
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {"Problem": {"description": "What is wrong, with a code from a closed list.",
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer",
                "description": "A token that starts with tdg_."}}
        }
    })
}
