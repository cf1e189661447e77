import { source } from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** WCAG 2.2 AA, and what axe-core advises beyond it. */
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];

const run = `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(tags)} } }).then(
  ({ violations, incomplete }) => [...violations, ...incomplete])`;

/**
 * Asks axe-core what is wrong with a page, also what it leaves to a person to decide; an empty list when nothing is. It runs in
 * a world of its own, so that the Content-Security-Policy of the page stays as strict as it is. Not for a visit without script:
 * axe-core needs timers.
 */
export async function accessibilityOf(page: Page): Promise<() => Promise<readonly string[]>> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  await session.send('Runtime.evaluate', { expression: `${source}; undefined`, contextId });
  return async () => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      ...{ expression: run, contextId },
      ...{ awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails) throw new Error(`axe-core: ${exceptionDetails.text}`);
    return (result.value as Finding[]).flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `${id}: ${help} (${target.join(' ')}) ${failureSummary}`),
    );
  };
}
