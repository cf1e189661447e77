import { Problem } from '@app/primitives/problems';
import fc from 'fast-check';
import {
  archiveTemplate,
  changeTemplate,
  contentOfType,
  createTemplate,
  deleteTemplate,
  evolveTemplate,
  type LiveTemplate,
  publishTemplate,
  type Template,
  type TemplateContent,
  type TemplateEvent,
} from './template';

const content: TemplateContent = {
  title: 'Membership',
  tags: [],
  format: 'dc+sd-jwt',
  dataModel: 'sd-jwt-vc',
  signingAlgorithm: 'ES256',
  expiration: 'never',
  schema: { type: 'object' },
};
const titled = (title: string): TemplateContent => ({ ...content, title });
const fold = (events: readonly TemplateEvent[]): Template | undefined =>
  events.reduce<Template | undefined>(evolveTemplate, undefined);

const acts = {
  publish: publishTemplate,
  archive: archiveTemplate,
  delete: deleteTemplate,
  change: (template: LiveTemplate) => changeTemplate(template, titled('Other'), false),
};
const created = createTemplate(undefined, 'm', content, 'Draft');
const histories: Record<LiveTemplate['status'], TemplateEvent[]> = {
  Draft: created,
  Published: createTemplate(undefined, 'm', content, 'Published'),
  Archived: [...created, { type: 'TemplateArchived' }],
};

/** What a template allows; everything else is refused. */
const allowed: Record<LiveTemplate['status'], Partial<Record<keyof typeof acts, Template['status']>>> = {
  Draft: { publish: 'Published', archive: 'Archived', delete: 'Deleted', change: 'Draft' },
  Published: { archive: 'Archived', change: 'Published' },
  Archived: { publish: 'Published', delete: 'Deleted' },
};

function live(template: Template | undefined): LiveTemplate {
  if (!template || template.status === 'Deleted') throw new Error('not there');
  return template;
}

describe.each(['Draft', 'Published', 'Archived'] as const)('a template that is %s', (status) => {
  const history = histories[status];

  it.each(['publish', 'archive', 'delete', 'change'] as const)('answers to %s as the table says', (act) => {
    const next = allowed[status][act];
    const decide = () => acts[act](live(fold(history)));
    if (next === undefined) expect(decide).toThrow('invalid-template-transition');
    else expect(fold([...history, ...decide()])?.status).toBe(next);
  });
});

describe('a template', () => {
  it('does not come twice, not even after its end', () => {
    const ended: TemplateEvent[] = [...created, { type: 'TemplateDeleted' }];
    for (const history of [created, ended]) {
      expect(() => createTemplate(fold(history), 'm', content, 'Draft')).toThrow('conflict');
    }
  });

  it('keeps nothing once it is deleted', () => {
    expect(fold([...created, { type: 'TemplateDeleted' }])).toEqual({ status: 'Deleted', templateId: 'm' });
  });

  it('does not notice a change to what it is', () => {
    expect(changeTemplate(live(fold(histories.Published)), { ...content }, false)).toEqual([]);
  });

  it('keeps its type over changes that leave its claims as they are', () => {
    const events: TemplateEvent[] = [...histories.Published];
    const change = (title: string, hasNewType: boolean): number => {
      events.push(...changeTemplate(live(fold(events)), titled(title), hasNewType));
      return live(fold(events)).typeVersion;
    };
    expect(change('1', false)).toBe(1);
    expect(change('2', false)).toBe(1);
    expect(change('3', true)).toBe(4);
    expect(change('3', true)).toBe(5);
    expect(change('4', false)).toBe(5);
    expect([1, 4, 5].map((type) => contentOfType(events, type)?.title)).toEqual(['2', '3', '4']);
    for (const type of [0, 2, 3, 6, 1.5, NaN]) expect(contentOfType(events, type)).toBeUndefined();
  });

  it('has had as many types as changes where every change made a new one', () => {
    const changed = (title: string): TemplateEvent => ({ type: 'TemplateChanged', content: titled(title) });
    const events: TemplateEvent[] = [
      ...created,
      changed('1'),
      { type: 'TemplatePublished' },
      changed('2'),
      changed('3'),
      { type: 'TemplateArchived' },
      { type: 'TemplateDeleted' },
    ];
    expect([1, 2, 3].map((type) => contentOfType(events, type)?.title)).toEqual(['1', '2', '3']);
    for (const type of [0, 4, 1.5, NaN]) expect(contentOfType(events, type)).toBeUndefined();
    expect(contentOfType(created, 1)).toBeUndefined();
  });

  it('counts exactly the changes of what was published, whatever happens', () => {
    const step = fc.record({
      act: fc.oneof(fc.constantFrom('publish', 'archive', 'delete'), fc.constant('change')),
      title: fc.constantFrom('A', 'B', 'C'),
      hasNewType: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const events = [...created];
        const published = new Map<number, TemplateContent>();
        for (const { act, title, hasNewType } of steps) {
          const before = fold(events);
          if (!before || before.status === 'Deleted') break;
          let added: TemplateEvent[] = [];
          try {
            const changed = () => changeTemplate(before, titled(title), hasNewType);
            added = act === 'change' ? changed() : acts[act as 'publish'](before);
          } catch (error) {
            expect((error as Problem).slug).toBe('invalid-template-transition');
          }
          events.push(...added);
          const after = fold(events);
          if (!after || after.status === 'Deleted') break;
          const counts = before.status === 'Published' && act === 'change' && added.length > 0;
          expect(after.contentVersion).toBe(before.contentVersion + (counts ? 1 : 0));
          expect(after.typeVersion).toBe(counts && hasNewType ? after.contentVersion : before.typeVersion);
          if (before.status === 'Archived') expect(after.content).toEqual(before.content);
          if (after.status === 'Published') published.set(after.typeVersion, after.content);
        }
        for (const [version, was] of published) expect(contentOfType(events, version)).toEqual(was);
      }),
    );
  });
});
