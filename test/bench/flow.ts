import type { Exchange, Sender } from './http-client';

/** What clients of a server do from beginning to end, again and again. */
export interface Flow<Client = Sender> {
  /** Sends its requests one after the other. Throws unless the flow succeeds. */
  run(client: Client): Promise<void>;
}

export function json(body: object): Pick<Exchange, 'type' | 'body'> {
  return { type: 'application/json', body: JSON.stringify(body) };
}

export function form(parameters: Record<string, string>): Pick<Exchange, 'type' | 'body'> {
  return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(parameters).toString() };
}

/** A parameter of a link that wallets open, such as `openid-credential-offer://?credential_offer_uri=...`. */
export function parameterOf(link: string, name: string): string {
  const value = new URL(link).searchParams.get(name);
  if (value === null) throw new Error(`There is no ${name} in ${link}`);
  return value;
}

/** The address without its host: servers are measured without the proxy that their public URL names. */
export function pathOf(url: string): string {
  return new URL(url).pathname;
}
