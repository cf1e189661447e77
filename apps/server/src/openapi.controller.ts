import { Settings } from '@app/config';
import { HttpReply, PublicEndpoint, renderedJson } from '@app/web';
import { Controller, Get, NotFoundException } from '@nestjs/common';
import { managementDocument } from './openapi';

/** The OpenAPI document; only developers are shown it. */
@Controller()
@PublicEndpoint('management')
export class OpenApiController {
  private rendered: string | undefined;

  constructor(private readonly settings: Settings) {}

  @Get('openapi.json')
  document(): HttpReply {
    if (this.settings.profile !== 'development') throw new NotFoundException();
    this.rendered ??= managementDocument();
    return renderedJson(this.rendered);
  }
}
