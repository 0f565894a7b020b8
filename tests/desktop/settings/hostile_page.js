// What a page of somebody else's can try at a server of this computer. Each function gives what it could read, a line for each
// answer; the words that it publishes are "from a page".
const WORDS = 'from a page';
const JSON_BODY = JSON.stringify({ topic: 'page', message: WORDS, title: WORDS, body: WORDS, to: 'me', name: WORDS });
const FORM_BODY = new URLSearchParams({ topic: 'page', message: WORDS, title: WORDS, body: WORDS }).toString();

// Runs so many attempts at a time, and gives up those that neither end nor fail.
async function all(attempts, at_once = 24) {
  const read = [];
  const waiting = attempts.slice();
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [what, work] = next;
      const late = new Promise((done) => setTimeout(done, 3_000));
      const told = await Promise.race([work().catch(() => undefined), late]);
      if (told !== undefined && told !== null) read.push(`${what}: ${String(told).slice(0, 200)}`);
    }
  };
  await Promise.all(Array.from({ length: at_once }, worker));
  return read;
}

function bodies() {
  const form = new FormData();
  form.append('message', WORDS);
  form.append('file', new Blob([WORDS]), 'page.txt');
  return [
    ['text/plain', WORDS],
    ['text/plain', JSON_BODY],
    ['application/x-www-form-urlencoded', FORM_BODY],
    ['application/json', JSON_BODY],
    [null, form],
    [null, new Blob([JSON_BODY])],
  ];
}

async function text_of(answer) {
  return answer.type === 'opaque' ? null : `${answer.status} ${await answer.text()}`;
}

// Every method and type of content, as far as a page may choose them.
function fetches(own, paths) {
  const attempts = [];
  const add = (path, init) =>
    attempts.push([`fetch ${path} ${JSON.stringify(init)}`, async () => text_of(await fetch(own + path, init))]);
  for (const path of paths) {
    for (const mode of ['cors', 'no-cors']) {
      for (const method of ['GET', 'HEAD']) add(path, { method, mode, credentials: 'include' });
      add(path, { method: 'GET', mode, referrerPolicy: 'no-referrer', cache: 'reload' });
      for (const [type, body] of bodies())
        add(path, { method: 'POST', mode, body, keepalive: true, headers: type === null ? {} : { 'content-type': type } });
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      add(path, { method, body: JSON_BODY, headers: { 'content-type': 'application/json' } });
    add(path, { headers: { authorization: 'Bearer tdg_guess', 'x-gotify-key': 'guess' } });
  }
  return all(attempts);
}

function ask(method, address, body = WORDS) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open(method, address);
    request.onload = () => done(`${request.status} ${request.responseText}`);
    request.onerror = request.onabort = () => done();
    request.send(method === 'POST' ? body : null);
  });
}

function listen(address) {
  return new Promise((done) => {
    const events = new EventSource(address);
    const end = (told) => {
      events.close();
      done(told);
    };
    events.onopen = () => end('open');
    events.onmessage = ({ data }) => end(data);
    events.onerror = () => end();
  });
}

function connect(address, protocols) {
  return new Promise((done) => {
    const socket = new WebSocket(address.replace(/^http/, 'ws'), protocols);
    socket.onopen = () => {
      socket.send(JSON_BODY);
      socket.close();
      done('open');
    };
    socket.onerror = socket.onclose = () => done();
  });
}

function streams(own, paths) {
  const attempts = [];
  for (const path of paths) {
    for (const method of ['GET', 'POST']) attempts.push([`XHR ${method} ${path}`, () => ask(method, own + path)]);
    attempts.push([`EventSource ${path}`, () => listen(own + path)]);
    attempts.push([`WebSocket ${path}`, () => connect(own + path, [])]);
    attempts.push([`WebSocket ${path} as ntfy`, () => connect(own + path, ['tdg_guess'])]);
    for (const [type, body] of bodies().filter(([, body]) => typeof body === 'string'))
      attempts.push([`beacon ${path}`, async () => void navigator.sendBeacon(own + path, new Blob([body], { type }))]);
  }
  return all(attempts);
}

// An element that loads an address, and what tells of its answer.
function load(tag, attributes, told) {
  return new Promise((done) => {
    const one = document.createElement(tag);
    const end = (said) => {
      one.remove();
      done(said);
    };
    one.onload = one.onloadeddata = () => end(told(one));
    one.onerror = () => end();
    Object.assign(one, attributes);
    document.body.append(one);
  });
}

function elements(own, paths) {
  const attempts = [];
  const inside = (frame) => frame.contentDocument?.body?.innerText || undefined;
  for (const path of paths) {
    const address = own + path;
    const loaded = () => 'loaded';
    attempts.push([`img ${path}`, () => load('img', { src: address }, loaded)]);
    attempts.push([`script ${path}`, () => load('script', { src: address }, loaded)]);
    attempts.push([`module ${path}`, () => load('script', { type: 'module', src: address }, loaded)]);
    attempts.push([`style ${path}`, () => load('link', { rel: 'stylesheet', href: address }, loaded)]);
    attempts.push([`audio ${path}`, () => load('audio', { src: address, preload: 'auto' }, loaded)]);
    attempts.push([`iframe ${path}`, () => load('iframe', { src: address }, inside)]);
    attempts.push([`object ${path}`, () => load('object', { data: address }, inside)]);
  }
  return all(attempts, 64);
}

// Forms into frames of the page, and into frames that have no origin or tell none.
function forms(own, paths) {
  const types = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
  const quoted = JSON_BODY.replaceAll('"', '&quot;');
  const form = (path, method, type) =>
    `<form action="${own + path}" method="${method}" enctype="${type}">
      <input name="message" value="${WORDS}"><input name="${quoted.slice(0, -1)}, &quot;x&quot;: &quot;" value="&quot;}">
    </form><script>document.forms[0].submit()</script>`;
  const attempts = [];
  for (const path of paths) {
    for (const [method, type] of [['get', types[0]], ...types.map((type) => ['post', type])]) {
      for (const head of ['', '<meta name="referrer" content="no-referrer">']) {
        for (const sandbox of [null, 'allow-scripts allow-forms']) {
          const submit = () =>
            new Promise((done) => {
              const frame = document.createElement('iframe');
              if (sandbox !== null) frame.sandbox = sandbox;
              frame.srcdoc = head + form(path, method, type);
              let loads = 0;
              // The first document is the form itself, the next one the answer.
              frame.onload = () => {
                loads += 1;
                if (loads < 2) return;
                const said = frame.contentDocument?.body?.innerText || undefined;
                frame.remove();
                done(said);
              };
              document.body.append(frame);
            });
          attempts.push([`form ${method} ${path} ${type} ${sandbox}`, submit]);
        }
      }
    }
  }
  return all(attempts, 64);
}

// Commands of a mail in the bodies of requests, for a port at which mail is taken.
function mails(own) {
  const dialogue = ['EHLO page', 'MAIL FROM:<a@b>', 'RCPT TO:<page@x>', 'DATA', `Subject: ${WORDS}`, '', WORDS, '.', 'QUIT'];
  const body = ['', ...dialogue, ''].join('\r\n');
  const attempts = [['mail by XHR', () => ask('POST', own, body)]];
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const init = { method: 'POST', mode: 'no-cors', headers: { 'content-type': type }, body };
    attempts.push([`mail as ${type}`, async () => text_of(await fetch(own, init))]);
  }
  attempts.push(['mail by a beacon', async () => void navigator.sendBeacon(own, body)]);
  return all(attempts);
}

// How requests end, whatever they may read: by that a page could tell one server from another.
function ends(own, paths) {
  const attempts = [];
  const add = (what, path, work) =>
    attempts.push([`${what} ${path}`, async () => (await work(own + path)) ?? 'failed']);
  const fetched = (init) => (address) => fetch(address, init).then(({ type, status }) => `${type} ${status}`, () => 'failed');
  const loaded = (tag, attributes) => (address) => load(tag, attributes(address), () => 'loaded');
  for (const path of paths) {
    add('GET', path, fetched({ mode: 'no-cors' }));
    add('POST', path, fetched({ mode: 'no-cors', method: 'POST', body: WORDS }));
    add('fetch', path, fetched({}));
    add('img', path, loaded('img', (src) => ({ src })));
    add('script', path, loaded('script', (src) => ({ src })));
    add('style', path, loaded('link', (href) => ({ rel: 'stylesheet', href })));
    add('EventSource', path, listen);
    add('WebSocket', path, (address) => connect(address, []));
  }
  return all(attempts);
}
