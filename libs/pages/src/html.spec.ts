import { html } from './html';

describe('HTML', () => {
  it('has every inserted value escaped, in text and in attributes', () => {
    const evil = `"><script>alert('1')</script>&`;
    expect(html`<a title="${evil}">${evil}</a>`.text).toBe(
      ['<a title="', '">', '</a>'].join('&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;'),
    );
  });

  it('holds other HTML as it is, and nothing for what is absent', () => {
    const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
    expect(html`<ul>${items}</ul>${undefined}${0}`.text).toBe('<ul><li>a</li>\n<li>&#60;b&#62;</li></ul>0');
  });
});
