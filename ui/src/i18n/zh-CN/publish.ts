// The Simplified Chinese texts of the settings for publishers.
import type { PhoneApp } from '../../generated/PhoneApp';
import type { PublishTool } from '../../generated/PublishTool';
import type { enPublish } from '../en/publish';

const tools: Record<PublishTool, { name: string; hint: string }> = {
  curl: { name: 'curl', hint: '用于终端或脚本' },
  apprise: { name: 'Apprise', hint: '其中的地址适用于每个使用 Apprise 的程序' },
  ntfy: { name: 'ntfy', hint: 'ntfy 自己的程序' },
  gotify: { name: 'Gotify', hint: 'Gotify 自己的程序，使用应用的令牌' },
  systemd: { name: 'systemd', hint: '其他单元在 OnFailure= 中写它的名字' },
  cron: { name: 'cron', hint: 'crontab -e 中的一行' },
  shell: { name: 'Shell 函数', hint: '放进 .bashrc 或 .zshrc：耗时的命令结束时告诉结果' },
  powershell: { name: 'PowerShell', hint: '用于终端或脚本' },
  github_actions: {
    name: 'GitHub Actions',
    hint: '工作流中的一步。GitHub 必须能到达这个地址；令牌放进名为 TIDINGS 的 secret',
  },
  home_assistant: { name: 'Home Assistant', hint: '放进 configuration.yaml' },
  node_red: { name: 'Node-RED', hint: '从剪贴板导入的流程' },
  alertmanager: { name: 'Alertmanager', hint: 'alertmanager.yml 中的接收者' },
  grafana: { name: 'Grafana', hint: '联络点，放进 provisioning/alerting 中的文件' },
};
const apps: Record<PhoneApp, string> = { ntfy: 'ntfy', gotify: 'Gotify' };

export const zhPublish: typeof enPublish = {
  publish: '发布',
  topic: '主题',
  topicHint: '任意名称：同一主题的内容是一个会话',
  runsOn: '程序运行在',
  runsHere: '这台电脑',
  runsElsewhere: '另一台设备',
  runsAddress: '它能到达的地址',
  tool: '工具',
  toolName: (tool) => tools[tool].name,
  toolHint: (tool) => tools[tool].hint,
  applicationToken: '应用的令牌',
  tokenNeeded: '需要一个。在这里新建或填写的令牌，离开本页就会忘记',
  tokenNotNeeded: '在这台电脑上不需要',
  makePublisherToken: '新建令牌…',
  makeApplication: '新建应用…',
  newApplication: '新应用',
  applicationNameHint: '它的通知显示在这个名称下',
  publisherMade: (name) => `${name} 的令牌已写进这一行，只有这一次`,
  lineOf: (tool) => `${tool} 的命令`,
  showToken: '显示令牌',
  hideToken: '隐藏令牌',
  sendTest: '发送测试',
  testSent: '测试已发出，正在前往收件箱',
  testNeedsToken: '先新建一个令牌',
  othersShutOut: '其他设备不能访问',
  othersShutOutHint: '允许之后，它们可以用令牌发布和读取',
  phoneApps: '手机应用',
  phoneApp: (app) => apps[app],
  phoneHint: (app) => (app === 'ntfy' ? '用 Android 手机扫描：它会打开这个主题' : '应用所要的地址'),
  phoneCode: (app, link) => `${apps[app]} 的二维码：${link}`,
  phoneSignIn: '应用会要求登录：用户名随意，密码用一个也能读取收件箱的令牌',
  phonesNone: '还没有供它们使用的地址',
  tokensMenu: '令牌…',
};
