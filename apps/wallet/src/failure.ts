import { types } from 'node:util';
import { Oauth2ClientErrorResponseError, InvalidFetchResponseError } from '@openid4vc/oauth2';
import { Openid4vciRetrieveCredentialsError, Openid4vciSendNotificationError } from '@openid4vc/openid4vci';

/** A failure that the person at the keyboard can act on; the message is a whole sentence. */
export class WalletFailure extends Error {
  override readonly name = 'WalletFailure';
}

/**
 * One sentence for any failure. An OAuth error of the other side appears as its code and description,
 * a failed connection with the address that did not answer.
 */
export async function explain(error: unknown): Promise<string> {
  const own = ownFailure(error);
  if (own) return own.message;
  if (error instanceof Oauth2ClientErrorResponseError) {
    return refusal(error.response.status, error.errorResponse);
  }
  if (error instanceof Openid4vciRetrieveCredentialsError || error instanceof Openid4vciSendNotificationError) {
    const { response } = error.response;
    // The client library reports a 2xx answer of the wrong shape with the same class.
    if (response.ok) return `The issuer's answer has the wrong shape. ${firstLines(error.message)}`;
    return refusal(response.status, parsed(await response.clone().text()));
  }
  if (error instanceof InvalidFetchResponseError) {
    const body = parsed(error.textResponse);
    return error.response.ok ? firstLines(error.message) : refusal(error.response.status, body, error.response.url);
  }
  // Errors of fetch may come from another realm than this module's Error.
  if (!types.isNativeError(error)) return String(error);
  const cause = rootCause(error);
  return cause === undefined ? firstLines(error.message) : `${firstLines(error.message, 1)} (${cause})`;
}

/** A message of this wallet is reported unchanged, however the client library wrapped it. */
function ownFailure(error: unknown): WalletFailure | undefined {
  if (error instanceof WalletFailure) return error;
  return types.isNativeError(error) && error.cause !== undefined ? ownFailure(error.cause) : undefined;
}

/** The sentence for an answer that is not a success, with the OAuth error in its body if there is one. */
export function refusal(status: number, body: unknown, url?: string): string {
  const from = url ? ` from ${url}` : '';
  const { error, error_description: description } = (body ?? {}) as { error?: unknown; error_description?: unknown };
  if (typeof error !== 'string') return `The server answered ${status}${from} without an OAuth error.`;
  return `The server rejected the request with ${error} (${status})${from}${typeof description === 'string' ? `: ${description}` : '.'}`;
}

/** The library's validation messages carry one line per violated rule; the first few are enough. */
function firstLines(message: string, count = 4): string {
  return message.trim().split('\n').slice(0, count).join('\n    ');
}

/** What lies at the bottom of a chain of causes, as a code such as ECONNREFUSED where there is one. */
function rootCause(error: Error): string | undefined {
  let cause = error as { cause?: unknown; code?: unknown; message?: unknown };
  while (typeof cause.cause === 'object' && cause.cause !== null) cause = cause.cause;
  if (cause === error) return undefined;
  return typeof cause.code === 'string' ? cause.code : String(cause.message);
}

/** JSON, or undefined when the text is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
