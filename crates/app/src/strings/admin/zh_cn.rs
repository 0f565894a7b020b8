//! Simplified Chinese strings about sources, the own server, storage and files.

use tidings_sync::CertificateFault;
use tidings_sync::certificates::CertificateError;

use super::AdminStrings;

fn former_address_note(at: Option<&str>) -> String {
    at.map_or_else(|| "。".to_owned(), |at| format!("。服务仍在 {at} 运行。"))
}

pub(crate) static STRINGS: AdminStrings = AdminStrings {
    no_address: |example| format!("填写一个地址，例如 {example}"),
    bad_address: |text, example| format!("“{text}”不是地址。应填写类似 {example} 的地址"),
    no_token: "填写令牌。令牌由运行服务的人创建",
    no_token_of: |service| format!("填写令牌。可以在 {service} 的设置中创建"),
    takes_no_token: "这个来源不需要令牌",
    unknown_protocol: |name| format!("这个版本不支持“{name}”类型的来源"),
    service: |protocol, label| match protocol {
        "tidings" => "Tidings 服务".to_owned(),
        "feed" => "订阅源".to_owned(),
        _ => label.to_owned(),
    },
    not_service: |host, service| {
        let space = if service.starts_with(|c: char| c.is_ascii()) { " " } else { "" };
        format!("{host} 有应答，但不是{space}{service}。检查地址是否正确")
    },
    sign_in_needed: |host, takes_token| {
        let hint = if takes_token { "。填写令牌" } else { "，而这类来源无法登录" };
        format!("{host} 要求登录{hint}")
    },
    wrong_token: |host| format!("{host} 拒绝了这个令牌。检查它是否完整，是否已被撤销"),
    no_inbox: |host| format!("{host} 认识这个令牌，但它不能读取收件箱。需要一个可以读取的令牌"),
    no_right: |host| format!("{host} 认识这个令牌，但它不能读取通知。给它上面列出的权限"),
    answer_too_large: |host| format!("{host} 的应答太大。检查地址是否正确"),
    redirected: |host| format!("{host} 转到了另一个主机，没有跟随。检查地址是否正确"),
    connected: |title| title.map_or_else(|| "有应答".to_owned(), |title| format!("找到：{title}")),
    certificate: |fault, host| match fault {
        CertificateFault::UnknownAuthority => format!(
            "{host} 的证书由这台电脑不认识的机构签发，令牌没有发出。如果那是公司或自己的机构，可以在“证书”中添加它的证书"
        ),
        CertificateFault::NotValidNow => {
            format!("{host} 的证书已过期或尚未生效，令牌没有发出。检查这台电脑的时钟，或告诉运行服务的人")
        }
        CertificateFault::OtherName => format!("{host} 的证书属于另一个名称，令牌没有发出。检查地址是否正确"),
        CertificateFault::Untrusted => format!("{host} 的证书不受信任，令牌没有发出。检查地址是否正确"),
        CertificateFault::ClientWanted => {
            format!("{host} 要求它认识的客户端证书。在“证书”中添加，已有时换一个")
        }
        CertificateFault::ClientKey => {
            format!("无法从密钥环读取 {host} 的客户端证书的私钥。解锁密钥环，或在“证书”中重新添加证书")
        }
    },
    certificate_refused: |file, error| {
        let why = match error {
            CertificateError::Address(text) => return format!("“{text}”不是 https 地址"),
            CertificateError::TooLarge => "超过 1 MiB",
            CertificateError::NoCertificate => "中没有证书，应为 PEM 文件",
            CertificateError::Unreadable => "中的证书无法读取",
            CertificateError::Pkcs12 => {
                "是 PKCS#12，无法读取，可以用“openssl pkcs12 -in FILE -nodes -out FILE.pem”转换为 PEM"
            }
            CertificateError::EncryptedKey => {
                "中的私钥有密码，可以用“openssl pkey -in FILE -out FILE.pem”去掉密码，私钥会保存在密钥环中"
            }
            CertificateError::NoKey => "中没有私钥",
            CertificateError::KeyKind => "中的私钥既不是 RSA，也不是已知的椭圆曲线",
            CertificateError::KeyMismatch => "中的私钥属于另一个证书",
            CertificateError::TooMany => "中的证书太多，超过一个地址的上限",
            CertificateError::Disk(error) => return format!("无法保存证书：{error}"),
        };
        format!("{file} {why}。什么都没有添加")
    },
    proxy_address: "这不是代理的地址。应填写类似 http://proxy.example:3128 或 socks5://127.0.0.1:1080 的地址",
    authorities_added: |n, origin| format!("{origin} 现在信任这 {n} 个机构，其他地址不受影响"),
    client_added: |subject, origin| format!("{subject} 只会出示给 {origin}"),
    title_authorities: "选择机构的证书",
    title_client: "选择客户端证书",
    title_client_key: "选择客户端证书的私钥",
    offline: |host| format!("无法到达 {host}。检查地址和这台电脑的网络"),
    unreachable: |host| format!("{host} 没有应答。检查地址，以及服务是否在运行"),
    slow: |host| format!("等待 {host} 应答太久。稍后再试"),
    unavailable: |host, status| format!("{host} 现在无法应答（{status}）。稍后再试"),
    refused: |host, status| format!("{host} 拒绝了（{status}）。检查地址是否正确"),
    no_tls: "这台电脑无法建立安全连接",
    no_session_bus: "没有会话总线，程序的通知经由它发送。在桌面会话中启动 Tidings",
    monitor_refused: "会话总线不允许读取其他程序的通知。在沙盒之外启动 Tidings，并使用 dbus-daemon 1.10 或更新版本，或 dbus-broker",
    application_not_kept: |most| format!("无法选择这个程序。最多 {most} 个，Tidings 自己不在其中"),
    source_exists: |name| format!("这个来源已经有了，名称是“{name}”"),
    signed_in: |who, unread| {
        let signed = who.map_or_else(|| "已登录".to_owned(), |who| format!("已登录为 {who}"));
        match unread {
            Some("0") => format!("{signed}，全部已读"),
            Some(n) => format!("{signed}，{n} 条未读"),
            None => signed,
        }
    },
    answered: |url| format!("{url} 有应答"),
    answered_unencrypted: |url| format!("{url} 有应答，但没有加密：网络中的其他人可以读到往来的内容"),
    name_taken: |name| format!("已有名为“{name}”的来源。换一个名称"),
    name_needed: "填写名称，最多 64 个字符",
    own_not_removable: "本机的服务不能移除，但可以暂停",
    only_kept: "这个来源已移除，只保留了它带来的内容。重新添加后才能继续获取",
    other_user: |new_user, user| {
        format!("这个令牌属于 {new_user}，而来源属于 {user}。可以把它添加为另一个来源")
    },
    token_not_stored: |why| format!("无法保存令牌：{why}。什么都没有改变"),

    taken_back: |host| format!("{host} 上的登录已撤销"),
    take_back_by_hand: |page| format!("它的登录在该服务上仍然有效，可以在 {page} 撤销"),
    sign_in_not_offered: |host| format!("{host} 没有 Tidings 支持的浏览器登录。可以改为填写令牌"),
    sign_in_no_client: "先填写客户端 ID，或者改为填写令牌",
    sign_in_wrong_client: |host| {
        format!("{host} 不接受这个客户端 ID。检查它是否正确，以及该客户端是否允许用代码登录。也可以填写令牌")
    },
    sign_in_denied: |host| format!("在 {host} 没有得到允许。什么都没有改变，可以再次登录"),
    sign_in_expired: "没有及时确认。什么都没有改变，可以再次登录",
    sign_in_no_port: |why| format!("浏览器无法返回 Tidings：{why}。关闭一些程序，或者改为填写令牌"),
    sign_in_over: "这次登录已经结束。再次登录即可",
    sign_in_page_done: "已登录。可以关闭这个页面，回到 Tidings。",
    sign_in_page_denied: "Tidings 没有得到允许。可以关闭这个页面。",
    sign_in_page_unknown: "Tidings 没有在等待这个页面。可以关闭它。",

    port_taken: |port, at| format!("端口 {port} 已被其他程序占用{}", former_address_note(at)),
    port_denied: |port, at| format!("Tidings 无权使用端口 {port}{}", former_address_note(at)),
    server_failed: |why, at| format!("无法使用这个地址：{why}{}", former_address_note(at)),
    bad_origin: |text| {
        format!("“{text}”不是网页来源。填写协议、主机和端口，不带路径，例如 https://ntfy.example")
    },
    too_many_origins: |most| format!("最多允许 {most} 个网页。先移除一个"),
    no_server: "本机的服务没有运行",
    only_here: "这行命令只能在本机使用。要在其他设备上使用，先打开“允许其他设备访问”",
    user_taken: |id| format!("{id} 已被使用，或属于已移除的用户。没有添加任何人；换一个用户名"),
    user_id_needed: "用户名由 1 到 64 个字母、数字、点、下划线和连字符组成",
    user_name_needed: "填写名字，最多 64 个字符",
    user_is_own: "这是你自己的用户，没有它收件箱就没有服务器。什么都没有变",
    user_exported: |id| format!("已写入 {id} 的全部数据"),
    title_user_export: "导出用户",
    label_needed: "填写令牌的用途，最多 64 个字符",
    example_message: "备份完成",
    test_message: "来自设置的测试",
    topic_invalid: "主题由 1 到 64 个字符组成：英文字母（A–Z、a–z）、数字、- 和 _",
    topic_reserved: |topic| format!("服务自己使用“{topic}”。换一个主题"),
    topic_exists: |topic| format!("“{topic}”已在列表中。在那里编辑"),
    topic_name_wrong: "名称太长。换一个较短的",
    topic_icon_wrong: "填写以 http:// 或 https:// 开头的地址，最多 2048 个字符",
    topic_users_wrong: "填写用户的 ID，用空格分隔，最多 1000 个",
    topic_secret_wrong: "密钥太长。最多 1024 个字符",
    template_line: |line, why| format!("第 {line} 行：{why}"),
    template_wrong: |why| format!("模板无法读取：{why}"),
    topic_refused: |status| format!("服务拒绝了（{status}）。什么都没有改变，稍后再试"),
    own_unanswered: "本机的服务没有应答。这里的内容都还在，再试一次",
    token_invalid: "这不是令牌：令牌只有字母、数字、-、_ 和 .",
    test_refused: "服务拒绝了这个令牌。检查它是否完整，是否已被撤销",
    test_failed: |status| format!("服务拒绝了（{status}）。没有发布"),
    test_unanswered: "服务没有应答。稍后再试",
    not_discovered: |why| format!("其他设备无法自动发现这台电脑：{why}。它的地址照常可用"),

    compact_no_room: |needed, free| format!("压缩大约需要 {needed} 空间，现在只有 {free}。什么都没有改变"),
    restore_no_room: |needed, free| format!("恢复大约需要 {needed} 空间，现在只有 {free}。什么都没有改变"),
    exported: |n| format!("已写入 {n} 条通知"),
    backed_up: |path, size| format!("备份已写入 {path}，{size}，其中没有令牌"),
    restored: |n| format!("已恢复 {n} 条通知。之前的收件箱保存在旁边的 replica.db.before"),
    not_backup: |name| format!("{name} 不是 Tidings 的备份。什么都没有改变"),
    clock_not_mended: |why| format!("时间未能修正：{why}。已有内容保持原样"),
    not_restored: |why| format!("无法恢复备份：{why}。之前的内容照常使用"),
    not_written: |why| format!("无法写入文件：{why}。其他内容没有改变"),
    data_folder_unusable: "本次运行无法使用数据文件夹。先解决这个问题；什么都没有改变",
    settings_written: "设置已写入。文件中不含令牌",
    not_settings: |name| format!("{name} 不含 Tidings 的设置。什么都没有改变"),
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
            "设置已导入".to_owned()
        } else {
            format!("设置已导入。新增：{}", added.join("、"))
        }
    },
    others_not_allowed: "其他设备仍不能访问：需要时可在“本机服务器”中自行允许",
    origins_not_allowed: "浏览器中的网页仍不能访问：需要时可在“本机服务器”中自行允许",
    join_sentences: |first, second| format!("{first}。{second}"),

    feeds_written: |n| format!("已写入 {n} 个订阅源"),
    import_unknown: |file| {
        format!("{file} 既不是 OPML，也不是 Gitify、gotify-tray 或 ntfy 的设置。什么都没有添加")
    },
    import_large: |file| format!("{file} 超过 8 MiB。什么都没有添加"),
    import_complex: |file| format!("{file} 嵌套过深或重复过多，无法读取。什么都没有添加"),
    import_passed_by: |file| format!("上次无法读取 {file}，已跳过。什么都没有添加"),
    import_busy: |file| format!("暂时无法读取 {file}。什么都没有添加，可以稍后重试"),
    import_private: "它在这台电脑或其网络上，没有询问。如果你认识它，再次添加即可",
    import_unreadable: |file, why| format!("无法读取 {file}：{why}。什么都没有添加"),
    title_import: "导入来源",
    title_export_feeds: "导出订阅源",
    title_export: "导出收件箱",
    title_backup: "写入备份",
    title_restore: "恢复备份",
    title_settings_export: "导出设置",
    title_settings_import: "导入设置",
    title_save: "保存文件",
    title_attach: "添加文件",

    file_gone: |host| format!("{host} 上已经没有这个文件"),
    file_large: |most| format!("文件超过 {most}，没有获取"),
    no_icon: |host| format!("{host} 那里没有可以用作图标的图片"),
    file_redirected: "文件的地址指向了不受支持的地址，没有获取",
    file_disk: |why| format!("无法保存文件：{why}"),
    file_saved: "已保存",
    file_not_downloaded: "文件还不在这里。先获取它",

    attach_no_files: |source| format!("{source} 的消息不能带文件，没有添加"),
    attach_too_large: |most| format!("文件超过服务器接受的上限 {most}，没有添加"),
    attach_too_many: |most| format!("已添加 {most} 个文件。先把它们发出去"),
    attach_no_file: "只能添加文件。文件夹可以先打包成一个文件",
    attach_failed: |why| format!("无法添加文件：{why}。你写的文字还在"),

    link_unknown: "这条通知不在这台电脑上",
    link_bad: "Tidings 不认识这个链接",
};
