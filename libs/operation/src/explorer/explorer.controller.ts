import { Settings } from '@app/config';
import { HttpReply, pagePolicy, PublicEndpoint } from '@app/http';
import { Controller, Get, NotFoundException, Param } from '@nestjs/common';
import { readFile } from 'node:fs/promises';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sealwright management API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="explorer"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

// The document is not sent to an online validator.
const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#explorer', deepLinking: true, validatorUrl: null });
`;

/** Everything is served from here; the explorer sets inline styles on its elements. */
const policy = pagePolicy(
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
);

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Pages to browse and try the management API; served in development only. */
@Controller('docs')
@PublicEndpoint('management')
export class ExplorerController {
  constructor(private readonly settings: Settings) {}

  @Get()
  page(): HttpReply {
    return this.reply('text/html; charset=utf-8', page);
  }

  @Get('start.js')
  start(): HttpReply {
    return this.reply('text/javascript; charset=utf-8', start);
  }

  @Get(':asset')
  async asset(@Param('asset') name: string): Promise<HttpReply> {
    const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (type === undefined) throw new NotFoundException();
    return this.reply(type, await readFile(require.resolve(`swagger-ui-dist/${name}`)));
  }

  private reply(type: string, body: string | Buffer): HttpReply {
    if (this.settings.profile !== 'development') throw new NotFoundException();
    return new HttpReply(200, body, {
      'Content-Type': type,
      'Content-Security-Policy': policy,
    });
  }
}
