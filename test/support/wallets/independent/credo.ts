import {
  Agent,
  type AgentDependencies,
  DidDocument,
  type DidResolutionResult,
  type DidResolver,
  DidsModule,
  InjectionSymbols,
  JsonTransformer,
  JwkDidResolver,
  KeyDidRegistrar,
  KeyDidResolver,
  Kms,
  type Module,
  X509Module,
} from '@credo-ts/core';
import {
  type OpenId4VciCredentialBindingResolver,
  OpenId4VciCredentialFormatProfile,
  OpenId4VcModule,
} from '@credo-ts/openid4vc';
import { EventEmitter } from 'node:events';
import { FilesInMemory, KeysInMemory, RecordsInMemory } from './credo-backends';

const newKey = { kty: 'EC', crv: 'P-256' } as const;

/** Fetches did:web documents by `fetch`, which tests can redirect to loopback, unlike Credo's own client. */
class DidWebByFetch implements DidResolver {
  readonly supportedMethods = ['web'];
  readonly allowsCaching = false;

  async resolve(_: unknown, did: string): Promise<DidResolutionResult> {
    const address = did.slice('did:web:'.length).split(':').map(decodeURIComponent).join('/');
    const reply = await fetch(`https://${address}${address.includes('/') ? '' : '/.well-known'}/did.json`);
    const didDocument = JsonTransformer.fromJSON(await reply.json(), DidDocument);
    return { didDocument, didDocumentMetadata: {}, didResolutionMetadata: {} };
  }
}

function newAgent(trustedCertificates: string[]) {
  const storage: Module = {
    register(manager) {
      manager.registerInstance(InjectionSymbols.StorageService, new RecordsInMemory());
    },
  };
  const dependencies: AgentDependencies = {
    FileSystem: FilesInMemory,
    EventEmitterClass: EventEmitter,
    fetch: (url, init) => fetch(url, init),
    WebSocketClass: globalThis.WebSocket as unknown as AgentDependencies['WebSocketClass'],
  };
  return new Agent({
    config: { allowInsecureHttpUrls: true },
    dependencies,
    modules: {
      storage,
      kms: new Kms.KeyManagementModule({ backends: [new KeysInMemory()] }),
      dids: new DidsModule({
        resolvers: [new JwkDidResolver(), new KeyDidResolver(), new DidWebByFetch()],
        registrars: [new KeyDidRegistrar()],
      }),
      openid4vc: new OpenId4VcModule(),
      x509: new X509Module({ trustedCertificates }),
    },
  });
}

/** A wallet on Credo, the framework under Paradym, Bifold and others. It verifies what it receives before it keeps it. */
export class CredoWallet {
  private constructor(private readonly agent: ReturnType<typeof newAgent>) {}

  /** @param roots in PEM, for verifiers that are named by a certificate */
  static async open(roots: string[] = []): Promise<CredoWallet> {
    const agent = newAgent(roots);
    await agent.initialize();
    return new CredoWallet(agent);
  }

  close(): Promise<void> {
    return this.agent.shutdown();
  }

  /**
   * Accepts an offer and keeps its credentials. Returns their formats.
   * @param untilReady waits before it asks for credentials that the issuer has deferred
   */
  async receive(link: string, untilReady?: () => Promise<unknown>): Promise<string[]> {
    const { holder } = this.agent.openid4vc;
    const resolvedCredentialOffer = await holder.resolveCredentialOffer(link);
    const token = await holder.requestToken({ resolvedCredentialOffer });
    const { credentials: ready, deferredCredentials } = await holder.requestCredentials({
      resolvedCredentialOffer,
      ...token,
      credentialBindingResolver: this.bind,
    });
    const { metadata: issuerMetadata } = resolvedCredentialOffer;
    const collect = (deferred: (typeof deferredCredentials)[number]) =>
      holder.requestDeferredCredentials({ issuerMetadata, ...token, ...deferred });
    for (const deferred of deferredCredentials) {
      const [still] = (await collect(deferred)).deferredCredentials;
      if (still?.transactionId !== deferred.transactionId) throw new Error('it is not deferred');
    }
    await untilReady?.();
    const awaited = await Promise.all(deferredCredentials.map(collect));
    const credentials = [...ready, ...awaited.flatMap((collected) => collected.credentials)];
    const formats: string[] = [];
    for (const { record } of credentials) {
      if (record.type === 'SdJwtVcRecord') await this.agent.sdJwtVc.store({ record });
      else if (record.type === 'W3cCredentialRecord') await this.agent.w3cCredentials.store({ record });
      else if (record.type === 'MdocRecord') await this.agent.mdoc.store({ record });
      else throw new Error(`a credential of another kind: ${record.type}`);
      formats.push(record.firstCredential.claimFormat);
    }
    return formats;
  }

  /** Answers a request with whatever Credo selects of the credentials it keeps, and confirms its transaction data. */
  async present(link: string): Promise<boolean> {
    const { holder } = this.agent.openid4vc;
    const { authorizationRequestPayload, dcql, transactionData } =
      await holder.resolveOpenId4VpAuthorizationRequest(link);
    if (!dcql) throw new Error('the request has no DCQL query');
    const credentials = holder.selectCredentialsForDcqlRequest(dcql.queryResult);
    const { ok } = await holder.acceptOpenId4VpAuthorizationRequest({
      authorizationRequestPayload,
      dcql: { credentials },
      ...(transactionData && {
        transactionData: transactionData.map(({ matchedCredentialIds: [credentialId = ''] }) => ({ credentialId })),
      }),
    });
    return ok;
  }

  /** W3C credentials are bound to a DID, SD-JWT VCs to a key. */
  private readonly bind: OpenId4VciCredentialBindingResolver = async ({ credentialFormat }) => {
    if (credentialFormat !== OpenId4VciCredentialFormatProfile.JwtVcJson) {
      const { publicJwk } = await this.agent.kms.createKey({ type: newKey });
      return { method: 'jwk', keys: [Kms.PublicJwk.fromPublicJwk(publicJwk)] };
    }
    const { didState } = await this.agent.dids.create({ method: 'key', options: { createKey: { type: newKey } } });
    const didUrl = didState.didDocument?.verificationMethod?.[0]?.id;
    if (didUrl === undefined) throw new Error('no DID was made');
    return { method: 'did', didUrls: [didUrl] };
  };
}
