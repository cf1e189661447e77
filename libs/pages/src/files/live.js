const main = document.querySelector('main');
const parts = ['#state', '#content'];

async function refresh() {
  const response = await fetch(location.href);
  // A link that is no longer valid answers 404; any other failure passes.
  if (!response.ok && response.status !== 404) return;
  show(new DOMParser().parseFromString(await response.text(), 'text/html'));
}

function show(page) {
  const next = page.querySelector('main');
  if (!next || next.dataset.state === main.dataset.state) return;
  document.title = page.title;
  const hadFocus = main.contains(document.activeElement);
  for (const part of parts) main.querySelector(part).replaceChildren(...next.querySelector(part).childNodes);
  main.dataset.state = next.dataset.state;
  if (hadFocus) main.focus();
  if (next.dataset.live) return;
  delete main.dataset.live;
  source?.close();
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, 2000));
}

let announced;
let isReading = false;
async function catchUp() {
  if (isReading) return;
  isReading = true;
  while (main.dataset.live) {
    await refresh().catch(() => undefined);
    if (announced === main.dataset.state) break;
    await pause();
  }
  isReading = false;
}

let source;
function follow() {
  source = new EventSource(main.dataset.live);
  source.onmessage = ({ data }) => {
    announced = data;
    if (data !== main.dataset.state) catchUp();
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 30000);
  };
}
if (main.dataset.live) follow();

async function sendCode() {
  const responseCode = new URLSearchParams(location.hash.slice(1)).get('response_code');
  const response = await fetch(location.pathname + location.search, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ responseCode }),
  });
  return response.status < 500 ? response : undefined;
}

async function comeBack() {
  let response;
  // There are five minutes, and phones are often without a connection for a moment when they change from one app to another.
  while (!(response = await sendCode().catch(() => undefined))) await pause();
  if (response.ok) {
    location.replace(location.pathname.replace(/[/]return[/]?$/, '') + location.search);
    return;
  }
  // After any other failure, the code is still in the address when the page is loaded again.
  if (response.status === 403) history.replaceState(null, '', location.pathname + location.search);
  show(new DOMParser().parseFromString(await response.text(), 'text/html'));
}
if (main.dataset.state === 'returning') comeBack();
