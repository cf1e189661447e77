import type { Language } from '@app/pages';
import { hiddenFault } from '@app/primitives/json';
import { domainToASCII } from 'node:url';

/** Whom an offer is handed over to. Personal data: sealed under the data key of the offer, and erased with it. */
export interface Recipient {
  readonly email?: string;
  readonly name?: string;
  readonly locale?: Language;
}

const longest = 254;
const localPart = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const domainName =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?![0-9]+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The address as servers know it, with the domain in ASCII (RFC 5891); `undefined` for what is none. One address alone, without a
 * name, comments or quoting.
 */
export function asciiMailAddress(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  // What a URL would take apart is in no domain.
  if (at < 1 || /[\s\p{Cc}\p{Cf}%/:?#@[\]\\<>]/u.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  return localPart.test(local) && domainName.test(ascii) ? `${local}@${ascii}` : undefined;
}

/** Why a value is no e-mail address, as a constraint says it. */
export function mailAddressFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > longest)
    return `must be an e-mail address of at most ${longest} characters, such as erika@example.org`;
  const hidden = hiddenFault(value);
  if (hidden !== undefined) return hidden;
  if (asciiMailAddress(value) !== undefined) return undefined;
  return 'must be one e-mail address such as erika@example.org: without a name, and with letters a to z before the @';
}
