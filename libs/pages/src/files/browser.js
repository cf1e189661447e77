const protocols = ['openid4vp-v1-signed', 'openid4vp-v1-unsigned'];

function isAllowed(protocol) {
  return DigitalCredential.userAgentAllowsProtocol?.(protocol) ?? true;
}

const responseUrl = document.querySelector('.browser')?.dataset.response;
const isOffered =
  typeof DigitalCredential !== 'undefined' &&
  protocols.some(isAllowed) &&
  responseUrl !== undefined &&
  new URL(responseUrl).origin === location.origin;
document.documentElement.classList.toggle('asks-browser', isOffered);

async function ask({ requests }) {
  const digital = { requests: requests.filter(({ protocol }) => isAllowed(protocol)) };
  const { protocol, data } = await navigator.credentials.get({ mediation: 'required', digital });
  return fetch(responseUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ protocol, data }),
  });
}

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('.browser button');
  if (!button) return;
  const place = button.closest('.browser');
  const failure = place.querySelector('[role=alert]');
  failure.hidden = true;
  button.disabled = true;
  try {
    const answer = await ask(JSON.parse(place.dataset.digital));
    const { redirect_uri: next } = await answer.json();
    failure.hidden = answer.ok;
    if (next) location.assign(next);
  } catch {
    failure.hidden = false;
  }
  button.disabled = false;
});
