import { createHash, randomBytes } from 'node:crypto';
import { get, type Json, postForm, type Reply } from '../http/requests';

export const redirectUri = 'https://wallet.example/cb?kept=1';
export const clientId = 'https://wallet.example';

/** What a wallet keeps of a request that it pushed. */
export interface PushedRequest {
  readonly answer: Reply;
  readonly verifier: string;
  readonly state: string;
  /** Where the wallet sends the person. */
  readonly page: string;
}

/** Pushes an authorization request (RFC 9126) for the scope of the quick start. @param changes `undefined` leaves a parameter out */
export async function pushRequest(
  url: string,
  changes: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<PushedRequest> {
  const verifier = randomBytes(32).toString('base64url');
  const state = changes['state'] ?? randomBytes(32).toString('base64url');
  const form = defined({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'w3c_vc_credential',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    ...changes,
  });
  const answer = await postForm(`${url}/openid4vci/par`, Object.entries(form), headers);
  const page = pageOf(url, form['client_id'] ?? '', String(answer.json['request_uri']));
  return { answer, verifier, state, page };
}

export function pageOf(url: string, client: string, requestUri: string): string {
  return `${url}/authorize?${new URLSearchParams({ client_id: client, request_uri: requestUri }).toString()}`;
}

/** Parameters of a token request for a code. */
export function codeForm(code: string, { verifier }: Pick<PushedRequest, 'verifier'>): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: clientId,
  };
}

/** A browser without scripts: keeps cookies, and sends the forms that it is shown. */
export class FormBrowser {
  private readonly cookies = new Map<string, string>();
  /** The page that is shown. */
  shown: Reply | undefined;
  /** Of the page that was opened last. */
  address = '';

  constructor(private readonly url: string) {}

  async open(address: string): Promise<Reply> {
    this.address = new URL(address, this.url).href;
    return this.take(await get(this.address, this.headers()));
  }

  /** Presses the button of this id, with the inputs filled as given. Ends at a redirect to elsewhere. */
  async press(button: string, typed: Record<string, string> = {}): Promise<Reply> {
    const { action, fields } = this.form();
    return this.take(
      await postForm(
        new URL(action, this.url).href,
        Object.entries({ ...fields, ...typed, [button]: button }),
        this.headers(),
      ),
    );
  }

  /** The first form that is shown. */
  form(): { readonly action: string; readonly fields: Record<string, string> } {
    const text = this.shown?.text ?? '';
    const action = /<form method="post" action="([^"]+)">/.exec(text)?.[1];
    if (action === undefined) throw new Error(`There is no form on this page:\n${text}`);
    const hidden = [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    return { action, fields: Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescaped(value)])) };
  }

  /** The state of the page that is shown. */
  get state(): string | undefined {
    return /<main data-state="([^"]+)"/.exec(this.shown?.text ?? '')?.[1];
  }

  private async take(reply: Reply): Promise<Reply> {
    for (const cookie of reply.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      this.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    this.shown = reply;
    const next = reply.headers.get('location');
    return next?.startsWith('/') ? this.open(next) : reply;
  }

  /** All that it keeps, as it sends them. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private headers(): Record<string, string> {
    return this.cookie === '' ? {} : { cookie: this.cookie };
  }
}

/** What came back to the wallet. */
export function wayBack(reply: Reply): URLSearchParams {
  const address = reply.headers.get('location') ?? '';
  if (reply.status !== 303 || !address.startsWith(redirectUri))
    throw new Error(`${reply.status} ${address}${reply.text}`);
  return new URL(address).searchParams;
}

/** A person logs in by the development form and agrees. @returns the code */
export async function authorize(url: string, pushed: PushedRequest, username = 'ada.lovelace'): Promise<string> {
  const browser = new FormBrowser(url);
  await browser.open(pushed.page);
  await browser.press('login', { username, password: 'any' });
  return wayBack(await browser.press('approve')).get('code') ?? '';
}

export function redeemCode(
  url: string,
  pushed: Pick<PushedRequest, 'verifier'>,
  code: string,
  changes: Json = {},
): Promise<Reply> {
  return postForm(`${url}/openid4vci/token`, Object.entries(defined({ ...codeForm(code, pushed), ...changes })));
}

function defined(form: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
