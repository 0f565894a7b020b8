//! Chinese sentences about what does not work: publishing, and sources.

use tidings_ipc::NotPublished;
use tidings_model::template::{after_chinese as after, before_chinese as before};
use tidings_net::CertificateFault;
use tidings_sync::{PullEnd, Trouble};

use crate::grouped;

pub(super) fn not_published(why: NotPublished, source: &str, topic: &str) -> String {
    match why {
        NotPublished::Paused => {
            format!("{}已暂停。未发布任何内容，文字还在这里。恢复来源后再发布", before(source))
        }
        NotPublished::Unreachable => format!("无法连接{}。未发布任何内容，文字还在这里", after(source)),
        NotPublished::SignIn => {
            format!("{}拒绝了令牌。未发布任何内容，文字还在这里。在“设置”的“来源”中重新登录", before(source))
        }
        NotPublished::Forbidden => {
            let source = after(&before(source));
            format!("你不能发布到{source}的“{topic}”。文字还在这里。选择其他主题，或使用有发布权限的令牌")
        }
        NotPublished::TooLong => {
            format!("{}不接受这么长的文字。未发布任何内容，文字还在这里。缩短后再发布", before(source))
        }
        NotPublished::TooMany(minutes) => {
            let when =
                minutes.map_or_else(|| "稍后".to_owned(), |minutes| format!("{} 分钟后", grouped(minutes)));
            let source = before(source);
            format!("{source}暂时不再接受通知。未发布任何内容，文字还在这里。{when}重试")
        }
        NotPublished::Refused(status) => {
            format!("{}拒绝了此通知（{status}）。未发布任何内容，文字还在这里", before(source))
        }
        NotPublished::Unanswered => format!(
            "{}没有应答，无法确定是否已发布到“{topic}”。文字还在这里。如果再次发布，会替换第一条；ntfy 2.16 之前的服务器会保留两条",
            before(source)
        ),
    }
}

pub(super) fn trouble(trouble: Trouble) -> String {
    match trouble {
        Trouble::Address => "无法使用此地址".to_owned(),
        Trouble::Setup => "本机无法建立安全连接".to_owned(),
        Trouble::Certificate(fault) => match fault {
            CertificateFault::UnknownAuthority => "对方的证书由未知的证书颁发机构签发",
            CertificateFault::NotValidNow => "对方的证书已过期或尚未生效",
            CertificateFault::OtherName => "对方的证书用于另一个名称",
            CertificateFault::Untrusted => "对方的证书不受信任",
            CertificateFault::ClientWanted => "对方要求它认识的客户端证书",
            CertificateFault::ClientKey => "无法读取客户端证书的私钥",
        }
        .to_owned(),
        Trouble::Offline => "没有网络".to_owned(),
        Trouble::NameNotFound => "无法解析其地址中的名称".to_owned(),
        Trouble::Unreachable => "没有应答".to_owned(),
        Trouble::Slow => "等待应答超时".to_owned(),
        Trouble::Unavailable(status) => format!("没有应答（{status}）"),
        Trouble::Waiting(_) => "对方要求暂停".to_owned(),
        Trouble::SignIn => "需要登录".to_owned(),
        Trouble::Refused(status) => format!("被拒绝（{status}）"),
        Trouble::Malformed => "无法读取对方的应答".to_owned(),
        Trouble::TooLarge => "对方的应答过大".to_owned(),
        Trouble::TooComplex => "对方的应答嵌套过深或重复过多，无法读取".to_owned(),
        Trouble::PassedBy => "之前无法读取对方的应答，已跳过".to_owned(),
        Trouble::NoProgress => "对方表示还有更多内容，但没有发送".to_owned(),
        Trouble::PullEnded(PullEnd::Bytes(bytes)) => format!(
            "此来源已达到 {} MiB 的上限。收到的内容已保存，其余内容稍后获取。如果内容不应有这么多，可以暂停此来源",
            grouped(bytes >> 20)
        ),
        Trouble::PullEnded(PullEnd::Pages(pages)) => format!(
            "此来源已达到 {} 页的上限。收到的内容已保存，其余内容稍后获取。如果内容不应有这么多，可以暂停此来源",
            grouped(pages.into())
        ),
        Trouble::PullEnded(PullEnd::Disk(bytes)) => format!(
            "磁盘可用空间少于 {} MiB，此来源已停止获取。收到的内容已保存。腾出空间后会获取其余内容",
            grouped(bytes >> 20)
        ),
        Trouble::RedirectRefused => "此地址重定向到另一个地址，不会自动跟随。输入那个地址".to_owned(),
        Trouble::Fault => "Tidings 出现内部错误。已有内容不受影响".to_owned(),
        Trouble::DiskFull => "磁盘已满".to_owned(),
        Trouble::DiskFails => "磁盘出错".to_owned(),
        Trouble::ReadOnly => "无法写入数据文件夹".to_owned(),
        Trouble::Replica => "收到的内容无法保存".to_owned(),
        Trouble::Damaged => "本机的收件箱已损坏".to_owned(),
        Trouble::NoSessionBus => "此会话没有会话总线，程序通过它发送通知".to_owned(),
        Trouble::MonitorRefused => {
            "会话总线不允许 Tidings 读取通知，例如在沙盒中，或 dbus-daemon 早于 1.10".to_owned()
        }
    }
}
