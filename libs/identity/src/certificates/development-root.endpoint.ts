import { Settings } from '@app/config';
import { type CertificateKey, CertificateKeys } from '@app/keys';
import { HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get, NotFoundException } from '@nestjs/common';
import { developmentIaca, developmentRoot } from './development-certificates';

/** The trust anchors for wallets and readers that try this service in development; there are none in production. */
@Controller()
@PublicEndpoint('everyone')
export class DevelopmentRootEndpoint {
  constructor(
    private readonly keys: CertificateKeys,
    private readonly settings: Settings,
  ) {}

  @Get('certificates/development-root.pem')
  root(): HttpReply {
    return this.reply(developmentRoot);
  }

  /** Behind the document signer. */
  @Get('certificates/development-iaca.pem')
  iaca(): HttpReply {
    return this.reply(developmentIaca);
  }

  private reply(find: (keys: readonly CertificateKey[], now: Date) => CertificateKey | undefined): HttpReply {
    const root = this.settings.profile === 'development' ? find(this.keys.all(), new Date()) : undefined;
    if (root?.chain === undefined) throw new NotFoundException();
    return new HttpReply(200, root.chain, { 'Content-Type': 'application/x-pem-file', 'Cache-Control': 'no-store' });
  }
}
