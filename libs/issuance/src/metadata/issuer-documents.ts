import { perTenant } from '@app/primitives/context';
import { ServiceIdentity, WALLET_URLS } from '@app/identity';
import {
  CREDENTIAL_SIGNING_ALGORITHMS,
  type CredentialConfiguration,
  renderDraft13IssuerMetadata,
  renderIssuerMetadata,
  type WalletUrls,
} from '@app/openid4vc';
import { IssuerAppearance } from '@app/pages';
import { OwnRegistrations } from '@app/registration';
import { isBuildable, isFormatKnown, type IssuableConfiguration, ListCredentialConfigurations } from '@app/templates';
import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { CredentialEncryption } from '../wallet/credential-encryption';
import { batchSize, proofSigningAlgorithms } from '../wallet/proof-verifier';

const renderings = { final: renderIssuerMetadata, draft13: renderDraft13IssuerMetadata };

/** Of wallets. */
type Generation = keyof typeof renderings;

/** What was asked for. */
interface Kept extends Partial<Record<Generation, string>> {
  readonly of: readonly IssuableConfiguration[];
  readonly names: string;
}

/** Renders the metadata of the issuer, once for each list of configurations, and again when keys or registrars give us other names. */
@Injectable()
export class IssuerDocuments {
  private readonly kept = perTenant<{ rendered?: Kept }>({}, () => ({}));

  constructor(
    private readonly queries: QueryBus,
    private readonly appearance: IssuerAppearance,
    private readonly identity: ServiceIdentity,
    private readonly encryption: CredentialEncryption,
    private readonly registrations: OwnRegistrations,
    @Inject(WALLET_URLS) private readonly urls: WalletUrls,
  ) {}

  /** As JSON; the same text while nothing has changed. */
  async get(generation: Generation): Promise<string> {
    const configurations = await this.queries.execute(new ListCredentialConfigurations());
    const issuerInfo = this.registrations.issuerInfo();
    const names = this.names(issuerInfo?.[0]?.data);
    let { rendered } = this.kept;
    if (rendered?.of !== configurations || rendered.names !== names) {
      this.kept.rendered = rendered = { of: configurations, names };
    }
    return (rendered[generation] ??= JSON.stringify(
      renderings[generation]({
        urls: this.urls,
        // A configuration that a newer version made must not cost wallets the others.
        configurations: configurations.filter(isFormatKnown).map((one) => this.withIssuer(one)),
        batchSize,
        proofSigningAlgorithms,
        encryptionKey: this.encryption.currentKey(),
        isEncryptionRequired: this.encryption.isRequired,
        display: this.appearance.displays(),
        issuerInfo,
      }),
    ));
  }

  private withIssuer(configuration: IssuableConfiguration): CredentialConfiguration {
    if (!isBuildable(configuration)) return configuration;
    const { issuerIdentifier, signingAlgorithm } = configuration;
    return { ...configuration, issuer: this.identity.nameOf(issuerIdentifier, signingAlgorithm) };
  }

  /** A did:jwk changes with the key, and the key for encryption by itself. @param attested what a registrar says of the issuer */
  private names(attested: unknown = ''): string {
    const issuers = CREDENTIAL_SIGNING_ALGORITHMS.map((algorithm) => this.identity.nameOf('did', algorithm));
    return [...issuers, this.encryption.currentKey().kid, attested].join();
  }
}
