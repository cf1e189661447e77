import type { Browser } from '../wallet';

/** Nothing listens there: the page's way back is read, not followed. */
const redirectUri = 'http://127.0.0.1/callback';

/** A person who logs in under this name and agrees, in a browser without scripts. @param onStep called for each thing done */
export function agreeing(username: string, onStep: (name: string, detail: string) => void): Browser {
  return {
    redirectUri,
    async open(url) {
      const window = new Window();
      await window.open(url);
      await window.press('login', { username, password: 'any will do' });
      onStep('logged in', username);
      await window.press('approve', {});
      onStep('agreed', 'the page led back to the wallet');
      return window.address;
    },
  };
}

/** Keeps cookies, follows redirects as far as the wallet, and sends the form that is shown. */
class Window {
  address = '';
  private page = '';
  private readonly cookies = new Map<string, string>();

  async open(address: string, form?: URLSearchParams): Promise<void> {
    this.address = address;
    if (address.startsWith(redirectUri)) return;
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { method: form ? 'POST' : 'GET', body: form ?? null, headers: { cookie } };
    const response = await fetch(address, { ...sent, redirect: 'manual' });
    this.page = await response.text();
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      this.cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next !== null) return this.open(new URL(next, address).href);
    if (!response.ok) throw new Error(`the page answered ${response.status}:\n${textOf(this.page)}`);
  }

  press(button: string, typed: Readonly<Record<string, string>>): Promise<void> {
    const action = /<form method="post" action="([^"]+)"/.exec(this.page)?.[1];
    if (action === undefined || !this.page.includes(` id="${button}"`)) {
      throw new Error(`the page has no button "${button}":\n${textOf(this.page)}`);
    }
    const hidden = [...this.page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const fields = hidden.map(([, name = '', value = '']): [string, string] => [name, unescaped(value)]);
    const form = new URLSearchParams([...fields, ...Object.entries(typed), [button, button]]);
    return this.open(new URL(unescaped(action), this.address).href, form);
  }
}

function unescaped(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&amp;', '&');
}

function textOf(page: string): string {
  const [, main = page] = /<main[^>]*>([\s\S]*)<\/main>/.exec(page) ?? [];
  return main
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
