import { presentSdJwt } from '../support/presenters/credentials';
import type { Holder } from '../support/wallets/key-proofs';
import { type Flow, form, json } from './flow';
import type { Sender } from './http-client';
import { type IssuingFlow, studentCardType } from './issuing-flow';

interface Holding {
  readonly holder: Holder;
  readonly credential: string;
}

const asked = 'given_name';
const query = {
  credentials: [
    { id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [studentCardType] }, claims: [{ path: [asked] }] },
  ],
};

/** The verifying of one presentation, from the request of the portal to the portal reading what was verified. */
export class VerifyingFlow implements Flow {
  readonly name = 'Verifying flow';
  readonly requests = 4;
  private started = 0;

  private constructor(private readonly holdings: readonly Holding[]) {}

  /** Lets the service issue one credential to every wallet of the issuing flow. */
  static async prepare(clients: readonly Sender[], issuing: IssuingFlow): Promise<VerifyingFlow> {
    const waiting = [...issuing.holders];
    const holdings: Holding[] = [];
    const receive = async (client: Sender): Promise<void> => {
      for (let holder = waiting.pop(); holder; holder = waiting.pop()) {
        holdings.push({ holder, credential: await issuing.issue(client, holder) });
      }
    };
    await Promise.all(clients.map(receive));
    return new VerifyingFlow(holdings);
  }

  async run(client: Sender): Promise<void> {
    const holding = this.holdings[this.started++ % this.holdings.length];
    if (!holding) throw new Error('There is no such wallet.');
    const body = json({ dcql_query: query });
    const created = await client.send({ method: 'POST', path: '/v0/authorization_requests', ...body });
    const { state, authorizationRequest } = JSON.parse(created) as { state: string; authorizationRequest: string };

    const requestUri = new URL(authorizationRequest).searchParams.get('request_uri') ?? '';
    const request = payloadOf(await client.send({ method: 'GET', path: new URL(requestUri).pathname }));
    const purpose = { nonce: request.nonce, clientId: request.client_id };
    const presentation = presentSdJwt(holding.credential, holding.holder, purpose, { reveal: [asked] });
    const answer = form({ vp_token: JSON.stringify({ card: [presentation] }), state: request.state });
    await client.send({ method: 'POST', path: new URL(request.response_uri).pathname, ...answer });

    const result = await client.send({ method: 'GET', path: `/v0/authorization_requests/${state}` });
    const { status } = JSON.parse(result) as { status: string };
    if (status !== 'verified') throw new Error(`The presentation is not verified: ${result}`);
  }
}

interface RequestObject {
  readonly nonce: string;
  readonly client_id: string;
  readonly state: string;
  readonly response_uri: string;
}

/** Its signature is not checked: the wallet's part of the work would only take CPU from the service. */
function payloadOf(requestObject: string): RequestObject {
  const [, payload = ''] = requestObject.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as RequestObject;
}
