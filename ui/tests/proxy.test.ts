// Tests of the proxy in the settings.
import { expect, test } from 'vitest';
import { violations } from './support/axe';
import { asked, button, find, snackbar, there, until } from './support/page';
import { field, fieldError, fillField, settings } from './support/settings';

const radio = (name: string) => button(name, find('[data-testid="proxy"]'));
const set = (platform: Awaited<ReturnType<typeof settings>>['platform']) =>
  asked(platform, 'setProxy').map(([, form]) => form);

test('a_proxy_is_used_once_its_address_was_written_and_its_password_is_never_shown', async () => {
  const { platform } = await settings('sources-advanced');
  await there('[data-testid="proxy"]');
  expect(radio('Same as the desktop').ariaChecked).toBe('true');
  radio('Custom').click();
  await until(() => document.querySelector('[data-testid="proxy"] form'));
  expect(set(platform)).toEqual([]);
  expect(await violations()).toEqual([]);
  button('Use this proxy').click();
  await until(() => fieldError('Address of the proxy').includes('Enter the address of a proxy'));
  fillField('Address of the proxy', 'ftp://proxy');
  button('Use this proxy').click();
  await until(() => fieldError('Address of the proxy').includes('not the address of a proxy'));

  fillField('Address of the proxy', ' proxy.acme.example:3128 ');
  fillField('User name', 'mona');
  fillField('Password', '3f1c');
  expect(field('Password').type).toBe('password');
  button('Use this proxy').click();
  await until(() => snackbar().includes('http://proxy.acme.example:3128 is used from now on'));
  expect(set(platform).at(-1)).toEqual({
    choice: 'this',
    address: 'proxy.acme.example:3128',
    user: 'mona',
    password: '3f1c',
  });
  expect(field('Password').value).toBe('');
  expect(fieldError('Password')).toContain('keep the saved password');

  radio('None').click();
  await until(() => snackbar().includes('No proxy is used'));
  expect(document.querySelector('[data-testid="proxy"] form')).toBeNull();
});

test('the_choice_moves_with_the_arrow_keys_in_chinese_too', async () => {
  const { platform } = await settings('sources-advanced', 'lang=zh');
  await there('[data-testid="proxy"]');
  const first = radio('跟随系统');
  first.focus();
  first.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  await until(() => snackbar().includes('不使用代理'));
  expect(platform.proxies.view.choice).toBe('none');
});
