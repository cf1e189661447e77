import { urlOf } from '@app/primitives/url';

/** What a client may be sent back to. */
export interface RedirectUriPolicy {
  /** Compared character by character (FAPI 2.0 Security Profile §5.3.2.2); absent: any that is safe. */
  readonly registered?: readonly string[] | undefined;
  /** `http` to this machine, for development. */
  readonly allowLoopback: boolean;
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * What is wrong with a `redirect_uri`, in words that say what to send instead; `undefined` when nothing is. A client that is not
 * registered may name any https address or a scheme of its own (RFC 9126 §2.4, RFC 8252 §7.1).
 */
export function faultOfRedirectUri(text: string, { registered, allowLoopback }: RedirectUriPolicy): string | undefined {
  if (registered) {
    return registered.includes(text) ? undefined : 'redirect_uri is not one of those registered for this client.';
  }
  const url = urlOf(text);
  if (url === undefined || /[^\x21-\x7e]/u.test(text)) return 'redirect_uri must be an absolute URL in ASCII.';
  const { protocol, username, password, hostname } = url;
  if (text.includes('#')) return 'redirect_uri must not have a fragment.';
  if (username !== '' || password !== '') return 'redirect_uri must not have user information.';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:' && allowLoopback && loopbackHosts.has(hostname)) return undefined;
  // A scheme that an application claims is a domain name in reverse order, so that it has a dot.
  if (/^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:$/u.test(protocol)) return undefined;
  return 'redirect_uri must begin with https:// or with a private-use scheme that has a dot, such as com.example.wallet:/.';
}
