# What the official command line, gotify/cli 2.3.2, sends: its `init` with a user's name and a token as password, and two
# of its `push`. It is released as a program and in no package, so its requests are repeated here, read from its source:
# every field is there, also without a value, and the length of a body is not known before.
set -euo pipefail

call() {
  curl -sS --fail-with-body --noproxy '*' -m 60 -A Go-http-client/1.1 -H 'Accept: application/json' "$@"
  echo
}
post() {
  call -H 'Content-Type: application/json' -H 'Transfer-Encoding: chunked' "$@"
}

call "$TIDINGS_SERVER/version"
call -u "ana:$TIDINGS_TOKEN" "$TIDINGS_SERVER/current/user"
made=$(post -u "ana:$TIDINGS_TOKEN" "$TIDINGS_SERVER/application" \
  -d '{"token":"","name":"NAS","description":"in the cellar","internal":false,"image":"","id":0}')
token=$(sed -n 's/.*"token":"\([^"]*\)".*/\1/p' <<<"$made")
post -H "X-Gotify-Key: $token" "$TIDINGS_SERVER/message" \
  -d '{"id":0,"appid":0,"message":"two\nlines \u003c\u0026\u003e","title":"","priority":0,"date":"0001-01-01T00:00:00Z"}'
post -H "X-Gotify-Key: $token" "$TIDINGS_SERVER/message" -d '{"id":0,"appid":0,"message":"**bold**","title":"Bäckup 🎉",
  "priority":8,"extras":{"client::display":{"contentType":"text/markdown"},"client::notification":{"bigImageUrl":
  "https://ci.example.org/chart.png","click":{"url":"https://ci.example.org/4812?a=b"}}},"date":"0001-01-01T00:00:00Z"}'
