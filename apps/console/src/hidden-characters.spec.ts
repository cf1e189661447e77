import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { showHidden } from './hidden-characters';

describe('the console', () => {
  it('shows in texts what would turn the rest around, and leaves scripts and inputs as they are', () => {
    const right = 'می\u200cخواهم שלום\u200f';
    const node = { type: 'p', props: { title: 'x', children: ['knaB\u202e', ['\u200ba', right], 7, null] } };
    showHidden(node);
    expect(node.props.children).toEqual(['knaB\ufffd', ['\ufffda', right], 7, null]);
    const input = { type: 'input', props: { value: '\u202e', children: undefined } };
    showHidden(input);
    expect(input.props).toEqual({ value: '\u202e' });
  });

  it('takes the same characters for hidden as the service', () => {
    const patternIn = (path: string) =>
      /^ {2}\/\(\?!.*\)\//m.exec(readFileSync(join(__dirname, '../../..', path), 'utf8'))?.[0];
    const own = patternIn('apps/console/src/hidden-characters.ts');
    expect(own).toContain('Cf');
    expect(own).toBe(patternIn('libs/primitives/src/json/hidden-characters.ts'));
  });
});
