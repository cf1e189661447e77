import type { X509Certificate } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { explain, WalletFailure } from './failure';
import { askedText, findAsked, prepareAnswer, type PresentedCredential, type PresentOptions } from './presentation';
import { receive, type ReceiveOptions, type Surroundings } from './receiving';
import { answer, decline, readRequest } from './request';
import { WalletFile, type ReceivedCredential } from './wallet-file';

export interface WalletOptions {
  /** Path of the wallet file, default `./wallet.json`; created on first use. */
  readonly file?: string;
  /** Called after every step that succeeded, e.g. ('token', 'Bearer token for 300 s'). */
  readonly onStep?: (name: string, detail: string) => void;
  /** Whom to trust when a verifier (OpenID4VP x509_hash, x509_san_dns) or the issuer of an mdoc signs by a certificate; default: nobody. */
  readonly roots?: readonly X509Certificate[];
  /** Waits before the issuer is asked again. */
  readonly pause?: (seconds: number) => Promise<void>;
}

/** The outcome of a presentation that the verifier accepted. */
export interface Presented {
  /** The complete client identifier of the verifier. */
  readonly verifier: string;
  readonly protocol: string;
  readonly credentials: readonly PresentedCredential[];
  /** Where the person goes on, when the verifier says so. */
  readonly redirectUri: string | null;
}

/**
 * A holder: receives credentials, verifies them, keeps them in a file and presents them to verifiers. What fails is a
 * WalletFailure whose sentence begins with the step that failed.
 */
export class Wallet {
  private readonly at: Surroundings;

  constructor({ file = './wallet.json', onStep = () => undefined, roots = [], pause = waiting }: WalletOptions = {}) {
    const step: Surroundings['step'] = async (name, work) => {
      const [result, detail] = await work().catch(async (error: unknown) => {
        throw new WalletFailure(`${name}: ${await explain(error)}`, { cause: error });
      });
      onStep(name, detail);
      return result;
    };
    this.at = { file: new WalletFile(file), roots, onStep, pause, step };
  }

  get roots(): readonly X509Certificate[] {
    return this.at.roots;
  }

  credentials(): Promise<readonly ReceivedCredential[]> {
    return this.at.file.credentials();
  }

  /** Redeems a credential offer link and returns the verified and stored credentials. */
  receive(offerLink: string, options: ReceiveOptions = {}): Promise<ReceivedCredential[]> {
    return receive(this.at, offerLink, options);
  }

  /**
   * Answers an authorization request link with what its DCQL query asks for (OpenID4VP 1.0, and drafts with DCQL) and no more;
   * a verifier that cannot be answered is notified.
   */
  async present(requestLink: string, options: PresentOptions = {}): Promise<Presented> {
    const { file, roots, step } = this.at;
    const request = await step('request', async () => {
      const read = await readRequest(requestLink, roots);
      return [read, `${protocolOf(read.version)} from ${read.payload.client_id}, ${read.sender}`];
    });
    const prepare = async () => {
      const asked = await step('asked', async () => {
        const found = await findAsked(request.payload.dcql_query, await file.credentials());
        return [found, found.map(askedText).join('; ')];
      });
      return step('disclosed', async () => {
        const prepared = await prepareAnswer(request, asked, file, options);
        const texts = prepared.presented.map(({ title, disclosed, confirmed }) =>
          [`${title} (${disclosed.join(', ') || 'no claims'})`, ...confirmed].join(', confirms '),
        );
        return [prepared, texts.join('; ')];
      });
    };
    const { presentations, presented } = await prepare().catch(async (error: unknown) => {
      await decline(request).catch(() => undefined);
      throw error;
    });
    const redirectUri = await step('response', async () => {
      const next = await answer(request, presentations);
      return [next, `accepted at ${request.responseUri}${next === null ? '' : `, go on at ${next}`}`];
    });
    const { payload, version } = request;
    return { verifier: payload.client_id, protocol: protocolOf(version), credentials: presented, redirectUri };
  }
}

function waiting(seconds: number): Promise<void> {
  return setTimeout(seconds * 1000);
}

function protocolOf(version: number): string {
  return version === 100 ? 'OpenID4VP 1.0' : `OpenID4VP draft ${version} or before`;
}
