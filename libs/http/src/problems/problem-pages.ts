import { problemEntry } from '@app/primitives/problems';
import { Controller, Get, NotFoundException, Param } from '@nestjs/common';
import { HttpReply } from '../context/http-reply';
import { pagePolicy } from '../context/page-policy';
import { PublicEndpoint } from '../context/access-decision';

/** The pages that the `type` of a problem document leads to. */
@Controller('problems')
@PublicEndpoint('everyone')
export class ProblemPages {
  @Get(':slug')
  page(@Param('slug') slug: string): HttpReply {
    const entry = problemEntry(slug);
    if (!entry) throw new NotFoundException();
    const { title, status, remedy } = entry;
    const text = escaped(remedy).replace(/`([^`]+)`/g, '<code>$1</code>');
    const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><main><h1>${title}</h1><p>HTTP status ${status}</p><p>${text}</p></main></body>
</html>
`;
    return new HttpReply(200, html, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy(),
    });
  }
}

/** Remedies name headers with placeholders such as `<key>`. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
