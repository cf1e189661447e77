import { Settings } from '@app/config';
import { CertificateKeys } from '@app/keys';
import { HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get, NotFoundException } from '@nestjs/common';
import { developmentRoot } from './development-certificates';

/** The trust anchor for wallets that try this service in development; there is none in production. */
@Controller()
@PublicEndpoint('everyone')
export class DevelopmentRootEndpoint {
  constructor(
    private readonly keys: CertificateKeys,
    private readonly settings: Settings,
  ) {}

  @Get('certificates/development-root.pem')
  root(): HttpReply {
    const root = this.settings.profile === 'development' ? developmentRoot(this.keys.all(), new Date()) : undefined;
    if (root?.chain === undefined) throw new NotFoundException();
    return new HttpReply(200, root.chain, { 'Content-Type': 'application/x-pem-file', 'Cache-Control': 'no-store' });
  }
}
