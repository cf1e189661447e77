import { urlOf } from '@app/primitives/url';
import ipaddr from 'ipaddr.js';
import type { IncomingMessage } from 'node:http';

/**
 * Whether a request comes from this machine itself, which in development needs no key. Four cases could make a
 * foreign caller look like it: a tunnel or proxy on this machine (it says so in a header, or speaks HTTP/1.0 as nginx
 * does by default), a web page whose name was made to lead here (its name is in `Host`), a web page that sends a form
 * here (`Origin` says where it is from), and a webhook that leads here (what is sent to one is signed). A page of another
 * port of this machine is foreign, too.
 * @param publicHost host name of the public URL
 */
export function isLocalCaller(
  request: Pick<IncomingMessage, 'headers' | 'httpVersion' | 'socket'>,
  publicHost: string,
): boolean {
  const { headers, httpVersion, socket } = request;
  const peer = plainAddress(socket.remoteAddress);
  if (peer === '' || !(isLoopbackAddress(peer) || peer === plainAddress(socket.localAddress))) return false;
  if (httpVersion === '1.0' || Object.keys(headers).some(isPassedOn)) return false;
  const called = urlOf(`http://${headers.host ?? ''}`);
  if (!called) return false;
  const { hostname, origin } = called;
  if (!(hostname === publicHost || isLocalName(hostname) || isAddress(hostname))) return false;
  if (headers.origin === undefined) return true;
  const page = urlOf(headers.origin);
  if (page?.origin === origin) return true;
  // A developer's server that passes calls of its page on, and names itself in `Host`: only a browser writes this header.
  const isPassedOnByItsServer = headers['sec-fetch-site'] === 'same-origin';
  return isPassedOnByItsServer && page !== undefined && (page.hostname === publicHost || isLocalName(page.hostname));
}

function isPassedOn(header: string): boolean {
  return /^(?:forwarded|via|x-real-ip|x-forwarded-.*|webhook-.*)$/.test(header);
}

/** IPv4 addresses of a dual-stack listener come as `::ffff:127.0.0.1`. */
function plainAddress(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (ipaddr.IPv4.isValid(address) && address.startsWith('127.'));
}

function isAddress(host: string): boolean {
  return ipaddr.isValid(host.replace(/^\[|\]$/g, ''));
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host.replace(/^\[|\]$/g, ''));
}
