import { HttpReply, PublicEndpoint } from '@app/http';
import { Controller, Get, NotFoundException, Param } from '@nestjs/common';
import { IssuerAppearance } from './issuer-appearance';
import { browserScript, leaveScript, liveScript } from './scripts';
import { cardStyle } from './style';

const css = 'text/css; charset=utf-8';
const javascript = 'text/javascript; charset=utf-8';

/** What the pages load. Nothing of it depends on who asks. */
@Controller('pages')
@PublicEndpoint('people')
export class PageFilesController {
  constructor(private readonly appearance: IssuerAppearance) {}

  @Get('style.css')
  style(): HttpReply {
    return file(css, this.appearance.style);
  }

  @Get('live.js')
  script(): HttpReply {
    return file(javascript, liveScript);
  }

  @Get('browser.js')
  browser(): HttpReply {
    return file(javascript, browserScript);
  }

  @Get('leave.js')
  leave(): HttpReply {
    return file(javascript, leaveScript);
  }

  @Get('logo')
  logo(): HttpReply {
    const { logo } = this.appearance;
    if (!logo) throw new NotFoundException();
    // A drawing may carry styles, and must carry nothing that runs when it is opened by itself.
    const policy = { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" };
    // Web wallets show it, too.
    return file(logo.type, logo.bytes, { ...policy, 'Cross-Origin-Resource-Policy': 'cross-origin' });
  }

  @Get('colours/:file')
  card(@Param('file') name: string): HttpReply {
    const style = cardStyle(name.replace(/\.css$/, ''));
    if (style === undefined) throw new NotFoundException();
    return file(css, style);
  }
}

function file(type: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): HttpReply {
  return new HttpReply(200, body, { 'Content-Type': type, 'Cache-Control': 'public, max-age=86400', ...headers });
}
