/**
 * The script of all pages. The server says that the state has changed, nothing else; then the page is read again, until it
 * shows that state, and its parts are replaced. The element that announces the state stays, so that screen readers read its new text.
 */
export const liveScript = `const main = document.querySelector('main');
const parts = ['#state', '#content'];

async function refresh() {
  const response = await fetch(location.href);
  // A link that is no longer valid answers 404; any other failure passes.
  if (!response.ok && response.status !== 404) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const next = page.querySelector('main');
  if (!next || next.dataset.state === main.dataset.state) return;
  document.title = page.title;
  const hadFocus = main.contains(document.activeElement);
  for (const part of parts) main.querySelector(part).replaceChildren(...next.querySelector(part).childNodes);
  main.dataset.state = next.dataset.state;
  if (hadFocus) main.focus();
  if (next.dataset.live) return;
  delete main.dataset.live;
  source.close();
}

let announced;
let isReading = false;
async function catchUp() {
  if (isReading) return;
  isReading = true;
  while (main.dataset.live) {
    await refresh().catch(() => undefined);
    if (announced === main.dataset.state) break;
    await new Promise((resolve) => setTimeout(resolve, 2000));
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
`;
