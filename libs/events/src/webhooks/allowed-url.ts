import { OutboundClient, OutboundError } from '@app/outbound';
import { Problem } from '@app/primitives/problems';

/** @throws Problem `webhook-url-not-allowed`, without what the name resolves to, so that hosts cannot be probed */
export async function assertAllowedUrl(outbound: OutboundClient, url: string): Promise<void> {
  try {
    await outbound.assertReachable(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const detail =
      error.reason === 'invalid-url'
        ? `The URL of a webhook must be public: ${error.message}.`
        : 'The host of the URL has no public address.';
    throw new Problem('webhook-url-not-allowed', detail, [{ pointer: '/url', message: 'is not allowed' }]);
  }
}
