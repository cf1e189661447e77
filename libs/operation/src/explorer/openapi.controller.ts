import { Settings } from '@app/config';
import { HttpReply, PublicEndpoint, renderedJson } from '@app/http';
import { Controller, Get, Inject, NotFoundException } from '@nestjs/common';

/** Injection token of what renders the document as text. */
export const OPENAPI_DOCUMENT = Symbol('OPENAPI_DOCUMENT');

/** The OpenAPI document; served in development only. */
@Controller()
@PublicEndpoint('management')
export class OpenApiController {
  private rendered: string | undefined;

  constructor(
    private readonly settings: Settings,
    @Inject(OPENAPI_DOCUMENT) private readonly render: () => string,
  ) {}

  @Get('openapi.json')
  document(): HttpReply {
    if (this.settings.profile !== 'development') throw new NotFoundException();
    this.rendered ??= this.render();
    return renderedJson(this.rendered);
  }
}
