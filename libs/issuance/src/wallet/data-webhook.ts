import { Settings } from '@app/config';
import { EventStore } from '@app/event-store';
import { closestOf, isJsonObject, type JsonObject, parseStrictJsonObject, StrictJsonError } from '@app/primitives/json';
import { OutboundClient, OutboundError, secretBytes, signedHeaders } from '@app/outbound';
import type { IdentifiedPerson } from '@app/templates';
import { isDateTime } from '@app/primitives/time';
import { Injectable } from '@nestjs/common';
import { denialText } from '../credential/credential-denied';
import type { DataFault } from '../credential/missed-data';

/** Milliseconds from the start of a request to the end of its answer; the wallet waits for it. */
const patience = 5_000;
/** As the largest body that the management API takes. */
const mostBytes = 1024 * 1024;

/** A credential whose data is asked for. */
export interface DataRequest {
  readonly authorizationId: string;
  /** Of the offer that the wallet has accepted, when there is one. */
  readonly offerId?: string;
  readonly credentialId: string;
  readonly credentialConfigurationId: string;
  readonly person: IdentifiedPerson;
}

export type DataAnswer =
  | {
      readonly outcome: 'data';
      readonly claims: JsonObject;
      readonly expiresAt?: Date | 'never';
      /** Whether to ask again for what a refreshed token gives. */
      readonly asksAgain?: true;
    }
  /** The portal submits it later. */
  | { readonly outcome: 'later' }
  | { readonly outcome: 'refused'; readonly reason?: string }
  | { readonly outcome: 'failed'; readonly fault: DataFault };

/** Asks the portal for the data of a credential that a wallet requests, just in time. */
@Injectable()
export class DataWebhook {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly store: EventStore,
    private readonly settings: Settings,
  ) {}

  /** Signed like a webhook; its id is that of the credential, so that a repeated question is known by it. */
  async ask(request: DataRequest): Promise<DataAnswer> {
    const { dataUrl, dataSecret } = this.settings.identification;
    if (dataUrl === '') return { outcome: 'failed', fault: 'not-configured' };
    const body = JSON.stringify(request);
    const message = { id: request.credentialId, timestamp: Math.floor(this.store.clock().getTime() / 1000), body };
    try {
      const { status, body: answer } = await this.outbound.exchange(dataUrl, {
        purpose: 'credential-data',
        requester: request.authorizationId,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'Sealwright',
          ...signedHeaders(message, [secretBytes(dataSecret)]),
        },
        body,
        timeoutMs: patience,
        maxBytes: mostBytes,
      });
      return answerOf(status, answer, request);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { outcome: 'failed', fault: faultOf(error) };
    }
  }
}

/** Of an answer with data. */
const members = ['authorizationId', 'credentialSubject', 'expiresAt', 'refresh'];

/** What an answer of the portal says. */
export function answerOf(
  status: number,
  body: Buffer,
  { authorizationId }: Pick<DataRequest, 'authorizationId'>,
): DataAnswer {
  const failed = (fault: DataFault): DataAnswer => ({ outcome: 'failed', fault });
  switch (status) {
    case 202:
      return { outcome: 'later' };
    case 403:
    case 404:
      return refusalIn(body);
    case 200:
      break;
    default:
      return failed(status >= 300 && status < 400 ? 'answered-with-a-redirect' : 'answered-with-an-error');
  }
  const json = objectIn(body);
  // Others are the portal's own; a misspelt `expiresAt` would be a credential that lasts longer than it should.
  const isMisspelt = (name: string) => !members.includes(name) && closestOf(name, members) !== undefined;
  if (!json || Object.keys(json).some(isMisspelt)) return failed('answer-not-understood');
  if (Object.hasOwn(json, 'authorizationId') && json['authorizationId'] !== authorizationId) {
    return failed('answer-of-another-authorization');
  }
  const { credentialSubject: claims, expiresAt, refresh = false } = json;
  if (!isJsonObject(claims) || typeof refresh !== 'boolean') return failed('answer-not-understood');
  if (expiresAt !== undefined && expiresAt !== 'never' && !isDateTime(expiresAt)) return failed('expiry-invalid');
  return {
    outcome: 'data',
    claims,
    ...(expiresAt !== undefined && { expiresAt: expiresAt === 'never' ? 'never' : new Date(expiresAt) }),
    ...(refresh && { asksAgain: true }),
  };
}

/** The portal may say why, in words that a wallet can show. */
function refusalIn(body: Buffer): DataAnswer {
  const reason = objectIn(body)?.['reason'];
  return typeof reason === 'string' && denialText.test(reason)
    ? { outcome: 'refused', reason }
    : { outcome: 'refused' };
}

function objectIn(body: Buffer): JsonObject | undefined {
  try {
    return parseStrictJsonObject(body);
  } catch (error) {
    if (error instanceof StrictJsonError) return undefined;
    throw error;
  }
}

function faultOf({ reason }: OutboundError): DataFault {
  switch (reason) {
    case 'timeout':
      return 'timeout';
    case 'too-large':
      return 'answer-too-large';
    case 'malformed-body':
    case 'unexpected-content-type':
      return 'answer-not-understood';
    case 'unexpected-status':
      return 'answered-with-an-error';
    case 'too-many-redirects':
      return 'answered-with-a-redirect';
    case 'blocked-address':
    case 'unresolved-host':
    case 'invalid-url':
      return 'no-public-address';
    case 'connection-failed':
    case 'busy':
      return 'unreachable';
  }
}
