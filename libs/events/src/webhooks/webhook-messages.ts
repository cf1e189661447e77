import { type Schema, text } from '@app/http';
import { anyEvent, eventSchema } from '../event-schemas';

const headers = {
  'webhook-id': 'The id of the event: the same each time that it is sent.',
  'webhook-timestamp': 'When it was sent, in seconds since 1970.',
  'webhook-signature': 'Of Standard Webhooks: `v1,` and an HMAC-SHA256 in base64, one for each secret.',
};

function message(operationId: string, summary: string, schema: Schema): Schema {
  const parameters = Object.entries(headers).map(([name, description]) => {
    return { name, in: 'header', required: true, description, schema: text };
  });
  return {
    post: {
      operationId,
      tags: ['Webhooks'],
      summary,
      parameters,
      // What proves who sent it is in the signature.
      security: [],
      requestBody: { required: true, content: { 'application/cloudevents+json': { schema } } },
      responses: {
        '2XX': { description: 'Received. After any other answer it is sent again.' },
        410: { description: 'The receiver is gone: the webhook is paused.' },
      },
    },
  };
}

/** What webhooks post to their receivers: the `webhooks` of the OpenAPI document. */
export const webhookMessages: Schema = {
  event: message('receiveEvent', 'Something happened', anyEvent),
  test: message(
    'receiveTest',
    'Sent by POST /v0/webhooks/{webhookId}/test',
    eventSchema('webhook.test', { webhookId: text }),
  ),
};
