import type { Holder } from '../support/wallets/key-proofs';
import { type Card, type RequestObject, sdJwtCard } from './cards';
import { type Flow, form, parameterOf, pathOf } from './flow';
import type { Sender } from './http-client';
import type { IssuingFlow } from './issuing-flow';

/** What differs between the servers that verify. */
export interface Verifier {
  /** Creates a request. Returns its name and the link that the relying party shows. */
  ask(client: Sender): Promise<{ readonly id: string; readonly link: string }>;
  /** Whether the result, which this reads, is that the presentation is verified, with the claim that was asked for. */
  isVerified(client: Sender, id: string): Promise<boolean>;
  /** That of the SD-JWT VC when absent. */
  readonly present?: Card['present'];
}

export interface Holding {
  readonly holder: Holder;
  readonly credential: string;
}

/** The verifying of one presentation, from the request of the relying party to the party reading what was verified. */
export class VerifyingFlow implements Flow {
  private started = 0;

  constructor(
    private readonly verifier: Verifier,
    private readonly holdings: readonly Holding[],
  ) {}

  async run(client: Sender): Promise<void> {
    const holding = this.holdings[this.started++ % this.holdings.length];
    if (!holding) throw new Error('There is no such wallet.');
    const { id, link } = await this.verifier.ask(client);
    const requestUri = pathOf(parameterOf(link, 'request_uri'));
    const request = payloadOf(await client.send({ method: 'GET', path: requestUri }));
    const { present = sdJwtCard.present } = this.verifier;
    const presentation = present(holding.credential, holding.holder, request);
    const answer = form({ vp_token: JSON.stringify({ card: [presentation] }), state: request.state });
    await client.send({ method: 'POST', path: pathOf(request.response_uri), ...answer });
    if (!(await this.verifier.isVerified(client, id))) throw new Error('The presentation is not verified.');
  }
}

/** Has one credential issued to every wallet of the issuing flow, which also warms up the server. */
export async function holdingsOf(clients: readonly Sender[], issuing: IssuingFlow): Promise<Holding[]> {
  const waiting = [...issuing.holders];
  const holdings: Holding[] = [];
  const receive = async (client: Sender): Promise<void> => {
    for (let holder = waiting.pop(); holder; holder = waiting.pop()) {
      holdings.push({ holder, credential: await issuing.issue(client, holder) });
    }
  };
  await Promise.all(clients.map(receive));
  return holdings;
}

/** Its signature is not checked: the wallet's part of the work would only take CPU from the server. */
function payloadOf(requestObject: string): RequestObject {
  const [, payload = ''] = requestObject.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as RequestObject;
}
