import { OwnCertificates, TrustAnchors } from '@app/identity';
import { missingForHighAssurance, Settings, SettingsError } from '@app/config';
import { Injectable, type OnModuleInit } from '@nestjs/common';

/** Stops the start when SERVICE__HAIP asks for what is not there. */
@Injectable()
export class HighAssurance implements OnModuleInit {
  constructor(
    private readonly settings: Settings,
    private readonly certificates: OwnCertificates,
    private readonly anchors: TrustAnchors,
  ) {}

  /** Throws `SettingsError`. */
  onModuleInit(): void {
    const missing = missingForHighAssurance(this.settings, {
      certificates: this.certificates.inUse(new Date()).map(({ use }) => use),
      trustsWalletProvider: this.anchors.find('wallet-provider').length > 0,
      trustsIssuer: this.anchors.find('issuer').length > 0,
    });
    if (missing.length > 0) throw new SettingsError(missing);
  }
}
