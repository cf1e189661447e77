import { InvalidFetchResponseError, Oauth2ClientErrorResponseError } from '@openid4vc/oauth2';
import { Openid4vciRetrieveCredentialsError, Openid4vciSendNotificationError } from '@openid4vc/openid4vci';
import { types } from 'node:util';

/** A failure that the person at the keyboard can act on; the message is a whole sentence. */
export class WalletFailure extends Error {
  override readonly name = 'WalletFailure';
}

/** One sentence for any failure: an OAuth error of the other side by code and description, others by their root cause. */
export async function explain(error: unknown): Promise<string> {
  // Errors of fetch may come from another realm than this module's Error.
  if (!types.isNativeError(error)) return String(error);
  const causes = causesOf(error);
  const own = causes.find((one) => one instanceof WalletFailure);
  if (own instanceof WalletFailure) return own.message;
  if (error instanceof Oauth2ClientErrorResponseError) return refusal(error.response, error.errorResponse);
  if (error instanceof InvalidFetchResponseError && !error.response.ok) {
    return refusal(error.response, parsed(error.textResponse), ` from ${error.response.url}`);
  }
  if (error instanceof Openid4vciRetrieveCredentialsError || error instanceof Openid4vciSendNotificationError) {
    const { response } = error.response;
    // The client library reports a 2xx answer of the wrong shape with the same class.
    if (response.ok) return `The issuer's answer has the wrong shape. ${firstLines(error.message, 4)}`;
    return refusal(response, parsed(await response.clone().text()));
  }
  const root = causes.at(-1) as { code?: unknown; message?: unknown };
  if (root === error) return firstLines(error.message, 4);
  return `${firstLines(error.message, 1)} (${typeof root.code === 'string' ? root.code : String(root.message)})`;
}

/** The sentence for an answer that is not a success, with the OAuth error in its body if there is one. */
export function refusal({ status }: Response, body: unknown, from = ''): string {
  const { error, error_description: description } = (body ?? {}) as { error?: unknown; error_description?: unknown };
  if (typeof error !== 'string') return `The server answered ${status}${from} without an OAuth error.`;
  return `The server rejected the request with ${error} (${status})${from}${typeof description === 'string' ? `: ${description}` : '.'}`;
}

/** JSON, or undefined when the text is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function causesOf(error: object): object[] {
  const { cause } = error as { cause?: unknown };
  return [error, ...(typeof cause === 'object' && cause !== null ? causesOf(cause) : [])];
}

/** The library's validation messages carry one line per violated rule. */
function firstLines(message: string, count: number): string {
  return message.trim().split('\n').slice(0, count).join('\n    ');
}
