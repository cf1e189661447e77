/**
 * The only script of the pages. The server says that the state has changed, nothing else; then the page is read again and its
 * parts are replaced. The element that announces the state stays, so that screen readers read its new text.
 */
export const liveScript = `const main = document.querySelector('main');
const parts = ['#state', '#content'];

async function refresh() {
  const response = await fetch(location.href);
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

let source;
function follow() {
  source = new EventSource(main.dataset.live);
  source.onmessage = ({ data }) => {
    if (data !== main.dataset.state) refresh().catch(() => undefined);
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 30000);
  };
}
if (main.dataset.live) follow();
`;
