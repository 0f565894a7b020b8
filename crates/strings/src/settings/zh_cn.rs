//! Simplified Chinese strings about sources, the own server, storage and files.

use tidings_model::template::{after_chinese as after, before_chinese as before};
use tidings_net::CertificateFault;
use tidings_net::certificates::CertificateError;

use super::SettingsStrings;

fn former_address_note(at: Option<&str>) -> String {
    at.map_or_else(|| "。".to_owned(), |at| format!("。服务器仍在 {at} 运行。"))
}

pub(crate) static STRINGS: SettingsStrings = SettingsStrings {
    no_address: |example| format!("输入地址，例如 {example}"),
    bad_address: |text, example| format!("“{text}”不是地址。输入地址，例如 {example}"),
    no_token: "输入令牌。可向服务器的管理员索取",
    no_token_of: |service| format!("输入令牌。可在 {service} 的设置中创建"),
    takes_no_token: "此来源不需要令牌",
    unknown_protocol: |name| format!("此版本不支持“{name}”类型的来源"),
    service: |protocol, label| match protocol {
        "tidings" => "Tidings 服务器".to_owned(),
        "feed" => "订阅源".to_owned(),
        _ => label.to_owned(),
    },
    not_service: |host, service| {
        let space = if service.starts_with(|c: char| c.is_ascii()) { " " } else { "" };
        format!("{host} 有应答，但不是{space}{service}。检查地址是否正确")
    },
    sign_in_needed: |host, takes_token| {
        let hint = if takes_token { "。输入令牌" } else { "，而此类来源不支持登录" };
        format!("{host} 要求登录{hint}")
    },
    wrong_token: |host| format!("{host} 拒绝了此令牌。检查令牌是否完整，是否已被吊销"),
    no_inbox: |host| format!("{host} 认识此令牌，但它不能读取收件箱。索取一个可以读取的令牌"),
    no_right: |host| format!("{host} 认识此令牌，但它不能读取通知。为它选择上面列出的权限"),
    answer_too_large: |host| format!("{host} 的应答过大。检查地址是否正确"),
    redirected: |host| format!("{host} 重定向到另一个主机，不会自动跟随。检查地址是否正确"),
    connected: |title| title.map_or_else(|| "已连接".to_owned(), |title| format!("找到“{title}”")),
    certificate: |fault, host| match fault {
        CertificateFault::UnknownAuthority => format!(
            "{host} 的证书由本机不认识的证书颁发机构签发，令牌未发送。如果该机构属于公司或你自己，在“设置”的“来源”的“高级”中添加其证书"
        ),
        CertificateFault::NotValidNow => {
            format!("{host} 的证书已过期或尚未生效，令牌未发送。检查本机的时钟，或告知服务器的管理员")
        }
        CertificateFault::OtherName => format!("{host} 的证书用于另一个名称，令牌未发送。检查地址是否正确"),
        CertificateFault::Untrusted => format!("{host} 的证书不受信任，令牌未发送。检查地址是否正确"),
        CertificateFault::ClientWanted => {
            format!("{host} 要求它认识的客户端证书。在“设置”的“来源”的“高级”中添加你的证书，或添加另一个")
        }
        CertificateFault::ClientKey => {
            format!(
                "无法从密钥环读取 {host} 的客户端证书的私钥。解锁密钥环，或在“设置”的“来源”的“高级”中重新添加证书"
            )
        }
    },
    certificate_refused: |file, error| {
        let why = match error {
            CertificateError::Address(text) => return format!("“{text}”不是 https 地址"),
            CertificateError::TooLarge => "超过 1 MiB",
            CertificateError::NoCertificate => "中没有证书。选择 PEM 文件",
            CertificateError::Unreadable => "中的证书无法读取",
            CertificateError::Pkcs12 => {
                "是 PKCS#12，无法读取。可用“openssl pkcs12 -in FILE -nodes -out FILE.pem”转换为 PEM"
            }
            CertificateError::EncryptedKey => {
                "中的私钥有密码。可用“openssl pkey -in FILE -out FILE.pem”移除密码，私钥会保存在密钥环中"
            }
            CertificateError::NoKey => "中没有私钥",
            CertificateError::KeyKind => "中的私钥既不是 RSA，也不是已知的椭圆曲线",
            CertificateError::KeyMismatch => "中的私钥属于另一个证书",
            CertificateError::TooMany => "中的证书太多，超过了一个地址的上限",
            CertificateError::Disk(error) => return format!("无法保存证书：{error}"),
        };
        format!("{file} {why}。未添加任何内容")
    },
    proxy_address: "这不是代理的地址。输入地址，例如 http://proxy.example:3128 或 socks5://127.0.0.1:1080",
    authorities_added: |n, origin| format!("只有 {origin} 会使用这 {n} 个证书颁发机构"),
    client_added: |subject, origin| format!("{subject} 只用于 {origin}"),
    title_authorities: "选择证书颁发机构的证书",
    title_client: "选择客户端证书",
    title_client_key: "选择客户端证书的私钥",
    name_not_found: |host| {
        format!("无法解析名称 {host}，未发送任何内容。检查地址，以及此网络的域名服务器（DNS）")
    },
    offline: |host| format!("无法连接 {host}。检查地址和本机的网络"),
    unreachable: |host| format!("{host} 没有应答。检查地址，以及服务器是否正在运行"),
    slow: |host| format!("等待 {host} 应答超时。稍后重试"),
    unavailable: |host, status| format!("{host} 现在无法应答（{status}）。稍后重试"),
    refused: |host, status| format!("{host} 拒绝了访问（{status}）。检查地址是否正确"),
    no_tls: "本机无法建立安全连接",
    no_session_bus: "此会话没有会话总线，程序通过它发送通知。在桌面会话中启动 Tidings",
    monitor_refused: "会话总线不允许 Tidings 读取通知。在沙盒之外启动 Tidings，并使用 dbus-daemon 1.10 或更新版本，或 dbus-broker",
    application_not_kept: |most| format!("无法选择此程序。最多可选择 {most} 个，不含 Tidings 自己"),
    source_exists: |name| format!("已存在，名为“{name}”"),
    signed_in: |who, unread| {
        let signed =
            who.map_or_else(|| "已登录".to_owned(), |who| format!("已以{}登录", after(&before(who))));
        match unread {
            Some("0") => format!("{signed}，全部已读"),
            Some(n) => format!("{signed}，{n} 条未读"),
            None => signed,
        }
    },
    answered: |url| format!("{url} 有应答"),
    answered_unencrypted: |url| format!("{url} 有应答，但没有加密。网络中的其他人可以读取发送的内容"),
    name_taken: |name| format!("已有名为“{name}”的来源。选择其他名称"),
    name_needed: "输入名称，最多 64 个字符",
    own_not_removable: "本机服务器无法移除，但可以暂停",
    only_kept: "此来源已移除，只保留了其通知。重新添加后可继续获取",
    other_user: |new_user, user| format!("此令牌属于 {new_user}，而来源属于 {user}。将它添加为另一个来源"),
    token_of_other_address: |host| format!("已保存的令牌只会发送到 {host}。为新地址输入令牌"),
    token_not_stored: |why| format!("无法保存令牌：{why}。没有任何改变"),

    taken_back: |host| format!("{host} 上的登录已撤销"),
    take_back_by_hand: |page| format!("其登录在该服务上仍然有效，可在 {page} 撤销"),
    sign_in_not_offered: |host| format!("{host} 不提供 Tidings 支持的浏览器登录。改为输入令牌"),
    sign_in_no_client: "先输入客户端 ID，或改为输入令牌",
    sign_in_wrong_client: |host| {
        format!(
            "{host} 不接受此客户端 ID。检查它是否正确，以及该客户端是否允许用代码登录。也可以改为输入令牌"
        )
    },
    sign_in_denied: |host| format!("{host} 上的登录被拒绝。没有任何改变，可以重新登录"),
    sign_in_expired: "登录未及时确认。没有任何改变，可以重新登录",
    sign_in_no_port: |why| format!("浏览器无法返回 Tidings：{why}。关闭一些程序，或改为输入令牌"),
    sign_in_over: "此次登录已结束。重新登录",
    sign_in_page_done: "已登录。可以关闭此页面，返回 Tidings。",
    sign_in_page_denied: "登录被拒绝。可以关闭此页面。",
    sign_in_page_unknown: "Tidings 没有在等待此页面。可以关闭它。",

    port_taken: |port, at| format!("端口 {port} 已被其他程序使用{}", former_address_note(at)),
    port_denied: |port, at| format!("Tidings 无权使用端口 {port}{}", former_address_note(at)),
    server_failed: |why, at| format!("无法使用此地址：{why}{}", former_address_note(at)),
    bad_origin: |text| {
        format!("“{text}”不是网页的源。输入协议、主机和端口，不带路径，例如 https://ntfy.example")
    },
    too_many_origins: |most| format!("最多允许 {most} 个网页。先移除一个"),
    no_server: "本机服务器未运行",
    only_here: "此命令只能在本机使用。要在其他设备上使用，先打开“允许其他设备访问”",
    user_taken: |id| format!("{id} 已被使用，或曾属于已移除的用户。未添加任何用户；选择其他用户名"),
    user_id_needed: "用户名由 1 到 64 个不带重音符号的字母、数字、点、下划线和连字符组成",
    user_name_needed: "输入名称，最多 64 个字符",
    user_is_own: "这是你自己的用户。没有它，此收件箱就没有服务器。没有任何改变",
    user_exported: |id| format!("已导出 {id} 的全部数据"),
    title_user_export: "导出用户",
    label_needed: "输入用途，最多 64 个字符",
    example_message: "备份完成",
    test_message: "一条测试通知",
    topic_invalid: "主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _",
    topic_reserved: |topic| format!("服务器自己使用“{topic}”。选择其他主题"),
    topic_exists: |topic| format!("“{topic}”已在列表中。在那里编辑"),
    topic_name_wrong: "名称太长。输入较短的名称",
    topic_icon_wrong: "输入以 http:// 或 https:// 开头的地址，最多 2048 个字符",
    topic_users_wrong: "输入用户名，用空格分隔，最多 1000 个",
    topic_expect_wrong: "输入时间，例如 26 小时或 2 天，从 1 分钟到 366 天",
    topic_secret_wrong: "密钥太长。最多输入 1024 个字符",
    template_line: |line, why| format!("第 {line} 行：{why}"),
    template_wrong: |why| format!("无法读取模板：{why}"),
    topic_refused: |status| format!("服务器拒绝了更改（{status}）。没有任何改变，稍后重试"),
    own_unanswered: "本机服务器没有应答。这里的内容没有丢失，可以重试",
    token_invalid: "这不是令牌。令牌只含字母、数字、-、_ 和 .",
    test_refused: "服务器拒绝了此令牌。检查令牌是否完整，是否已被吊销",
    test_failed: |status| format!("服务器拒绝了发布（{status}）。未发布任何内容"),
    test_unanswered: "服务器没有应答。稍后重试",
    not_discovered: |why| format!("其他设备无法自动发现本机：{why}。其地址仍可使用"),

    compact_no_room: |needed, free| format!("释放空间大约需要 {needed}，但可用空间只有 {free}。没有任何改变"),
    restore_no_room: |needed, free| {
        format!("恢复大约需要 {needed} 空间，但可用空间只有 {free}。没有任何改变")
    },
    exported: |n| format!("已导出 {n} 条通知"),
    backed_up: |path, size| format!("备份已保存到 {path}，{size}。其中不含令牌"),
    restored: |n| format!("已恢复 {n} 条通知。之前的收件箱保存在旁边的 replica.db.before"),
    not_backup: |name| format!("{name} 不是 Tidings 的备份。没有任何改变"),
    clock_not_mended: |why| format!("时间未修正：{why}。没有任何改变"),
    not_restored: |why| format!("无法恢复备份：{why}。已有内容没有改变"),
    not_written: |why| format!("无法保存文件：{why}。其他内容没有改变"),
    data_folder_unusable: "此次运行无法使用数据文件夹。先解决此问题；没有任何改变",
    settings_written: "已导出设置。文件中不含令牌",
    not_settings: |name| format!("{name} 不含 Tidings 的设置。没有任何改变"),
    settings_read: |rules, searches, sources| {
        let mut added = Vec::new();
        if rules > 0 {
            added.push(format!("{rules} 条规则"));
        }
        if searches > 0 {
            added.push(format!("{searches} 个搜索"));
        }
        if sources > 0 {
            added.push(format!("{sources} 个需要登录的来源"));
        }
        if added.is_empty() {
            "已导入设置".to_owned()
        } else {
            format!("已导入设置。新增：{}", added.join("、"))
        }
    },
    others_not_allowed: "仍不允许其他设备访问。可在“设置”的“本机”中允许",
    origins_not_allowed: "仍不允许浏览器中的网页访问。可在“设置”的“本机”的“高级”中允许",
    join_sentences: |first, second| format!("{first}。{second}"),

    feeds_written: |n| format!("已导出 {n} 个订阅源"),
    import_unknown: |file| {
        format!("{file} 既不是 OPML，也不是 Gitify、gotify-tray 或 ntfy 的设置。未添加任何来源")
    },
    import_large: |file| format!("{file} 超过 8 MiB。未添加任何来源"),
    import_complex: |file| format!("{file} 嵌套过深或重复过多，无法读取。未添加任何来源"),
    import_passed_by: |file| format!("之前无法读取 {file}，已跳过。未添加任何来源"),
    import_busy: |file| format!("暂时无法读取 {file}。未添加任何来源，可以重试"),
    import_private: "它位于本机或本地网络，因此未添加。如果你信任它，可再次添加",
    import_unreadable: |file, why| format!("无法读取 {file}：{why}。未添加任何来源"),
    title_import: "导入来源",
    title_export_feeds: "导出订阅源",
    title_export: "导出收件箱",
    title_backup: "保存备份",
    title_restore: "恢复备份",
    title_settings_export: "导出设置",
    title_settings_import: "导入设置",
    title_save: "保存文件",
    title_attach: "添加文件",
    title_sound: "选择声音",
    sound_refused: "声音须为不超过 1 MiB 的文件。未做任何更改",

    file_gone: |host| format!("{host} 上已没有此文件"),
    file_large: |most| format!("文件超过 {most}，未获取"),
    no_icon: |host| format!("{host} 上没有可用作图标的图片"),
    file_redirected: "文件的地址重定向到另一个地址，不会自动跟随。文件未获取",
    file_disk: |why| format!("无法保存文件：{why}"),
    file_saved: "已保存",
    file_not_downloaded: "文件尚未获取。先获取文件",

    attach_no_files: |source| format!("{}不支持在消息中发送文件。未添加任何文件", before(source)),
    attach_too_large: |most| format!("文件超过服务器的上限 {most}，未添加"),
    attach_too_many: |most| format!("已添加 {most} 个文件。先发送这些文件"),
    attach_no_file: "只能添加文件。文件夹须先打包成一个文件",
    attach_failed: |why| format!("无法添加文件：{why}。你的文字已保留"),

    link_unknown: "此通知不在本机上",
    link_bad: "Tidings 无法打开此链接",
};
