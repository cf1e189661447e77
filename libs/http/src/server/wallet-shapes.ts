import { Logger } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { HttpReply } from '../context/http-reply';
import { RawBody } from '../body/raw-body';

type Answered = IncomingMessage & { readonly body?: unknown; readonly route?: { readonly path: string } };

const deepest = 8;
const mostMembers = 40;
const memberName = /^[\w$@:./-]{1,64}$/;
/** RFC 7519, RFC 7800, RFC 7517, SIOPv2. Other names in a JWT may be those of claims, which may say something about the person. */
const payloadNames = new Set(
  'iss sub aud exp nbf iat jti nonce state cnf jwk kid kty crv x y n e sub_jwk _vp_token presentation_submission'.split(
    ' ',
  ),
);
const jwt = /^([\w-]+)\.([\w-]+)\.[\w-]*/;

/**
 * Logs what a wallet has sent and got as names and types, without any value, for developers. The names are those that a wallet
 * chose, so this is for the development profile only.
 */
export function logShapes(isForWallets: (path: string) => boolean) {
  const logger = new Logger('Wallet');
  return (request: Answered, { status, body }: HttpReply): void => {
    const { method, route, url = '' } = request;
    if (!isForWallets(url.split('?', 1)[0] ?? '')) return;
    const sent = request.body instanceof RawBody ? shapeOfBody(request.body) : 'nothing';
    logger.log({ event: 'wallet.answered', method, route: route?.path, status, sent, got: shapeOfReply(body) });
  };
}

function shapeOfBody({ bytes, mediaType }: RawBody): string {
  if (!bytes) return 'too much';
  if (bytes.length === 0) return 'nothing';
  const text = bytes.toString('utf8');
  return mediaType === 'application/x-www-form-urlencoded' ? shapeOfForm(text) : shapeOfText(text);
}

function shapeOfReply(body: unknown): string {
  if (body === undefined || body === null) return 'nothing';
  return typeof body === 'string' ? shapeOfText(body) : shapeOf(body);
}

function shapeOfForm(text: string): string {
  const members = [...new URLSearchParams(text)].map(([name, value]): [string, string] => [name, shapeOfText(value)]);
  return `form ${membersOf(members)}`;
}

/** The shape of a text, which may be JSON or a JWT. */
function shapeOfText(text: string): string {
  const parsed = parsedJson(text);
  return parsed === undefined ? shapeOf(text) : shapeOf(parsed);
}

/**
 * Names and types of a JSON value: `{proofs: {jwt: [JWT {alg: string} {aud: string}]}}`.
 * @param isShown whether a name may be in the log
 */
export function shapeOf(value: unknown, depth = 0, isShown = isMemberName): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return shapeOfString(value, depth);
  if (typeof value !== 'object') return typeof value;
  if (depth >= deepest) return '...';
  if (Array.isArray(value)) {
    const shapes = [...new Set(value.slice(0, mostMembers).map((item) => shapeOf(item, depth + 1, isShown)))];
    return `[${shapes.join(' | ')}]${value.length > 1 ? ` x ${value.length}` : ''}`;
  }
  const members = Object.entries(value).map(([name, one]) => [name, shapeOf(one, depth + 1, isShown)] as const);
  return membersOf(members, isShown);
}

function isMemberName(name: string): boolean {
  return memberName.test(name);
}

function isPayloadName(name: string): boolean {
  return payloadNames.has(name);
}

function shapeOfString(text: string, depth: number): string {
  if (text === '') return 'empty string';
  const [, header = '', payload = ''] = jwt.exec(text) ?? [];
  const parts = [header, payload].map((part) => parsedJson(Buffer.from(part, 'base64url').toString('utf8')));
  const [first, second] = parts;
  if (first === undefined || depth >= deepest) return 'string';
  // Only the header of an encrypted one can be read.
  if (second === undefined) return `JWE ${shapeOf(first, depth + 1)}`;
  const disclosures = text.split('~').length - 1;
  const more = disclosures === 0 ? '' : ` with ${disclosures} parts after it`;
  return `JWT ${shapeOf(first, depth + 1)} ${shapeOf(second, depth + 1, isPayloadName)}${more}`;
}

function membersOf(members: readonly (readonly [string, string])[], isShown = isMemberName): string {
  const shown = members.slice(0, mostMembers).map(([name, shape]) => `${isShown(name) ? name : '?'}: ${shape}`);
  if (members.length > mostMembers) shown.push('...');
  return `{${shown.join(', ')}}`;
}

/** The object or list that a text is as JSON. */
function parsedJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
